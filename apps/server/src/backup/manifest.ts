import { z } from 'zod';
import { columnTypes } from './column-types.ts';

const name = z.string().regex(/^[\w-]{1,60}$/);
const count = z.number().int().min(0);

const manifestSchema = z.strictObject({
  format: z.literal(1),
  /** Of Hilltop. */
  version: z.string().regex(/^[\w.+-]{1,40}$/),
  createdAt: z.iso.datetime(),
  database: z.enum(['sqlite', 'postgres']),
  hasHistory: z.boolean(),
  newestMigration: name,
  /** The steps of the schema that the rows have. */
  migrations: z.array(name).max(10_000),
  tables: z.record(
    name,
    z.strictObject({
      columns: z.array(z.strictObject({ name, type: z.enum(columnTypes) })).max(1000),
      rows: count,
    }),
  ),
  /** The last key that the database generated for a table. */
  sequences: z.record(name, count),
  /** SHA-256 of each other file of the archive, in their order. */
  files: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const manifestName = 'manifest.json';
/** SHA-256 of the manifest. */
export const manifestSumName = 'manifest.json.sha256';
/** The key files, in sealed backups only. */
export const keysName = 'keys.json';

const partPattern = /^tables\/([\w-]+)\.\d+\.ndjson\.zst$/;

export const partName = (table: string, nth: number): string =>
  `tables/${table}.${String(nth).padStart(5, '0')}.ndjson.zst`;
export const tableOfPart = (file: string): string | undefined => partPattern.exec(file)?.[1];

/** Undefined when it is not a manifest. A manifest of a later format answers its version only. */
export function parseManifest(json: string): Manifest | { laterVersion: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { data } = manifestSchema.safeParse(value);
  if (data) return data;
  const later = z.object({ format: z.number().min(2), version: z.string().max(40) }).safeParse(value);
  return later.success ? { laterVersion: later.data.version } : undefined;
}
