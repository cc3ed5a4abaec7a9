import { refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import type { Secrets } from '../../secrets.ts';

export type TableRow = Readonly<Record<string, unknown>>;

/** What the network server stores of a record. */
export interface NetworkPart {
  readonly networkServerID: number;
  /** Its message of the `ns` service in base64. */
  readonly record: string;
  /** Of a device at a remote network server: its activation in base64. */
  readonly activation?: string | undefined;
  /** Of a device at an embedded network server. */
  readonly sessions?: readonly TableRow[];
  /** Of a device: the DevNonces that it has used. */
  readonly activations?: readonly TableRow[];
}

/** A deleted record. */
export interface TrashBody {
  /** The rows of each table; the first one has the record itself. */
  readonly tables: readonly (readonly [table: keyof Tables, rows: readonly TableRow[]])[];
  /** Undefined when no network server has a part of it. */
  readonly network?: NetworkPart | undefined;
}

type Conversion = (body: TrashBody) => TrashBody;

/**
 * Rows are stored as the tables have them, so a migration that adds columns needs nothing here: restored rows get their
 * defaults. The release whose migration renames or drops a column appends a conversion from the layout before it, and
 * bodies of earlier releases pass through all that follow theirs.
 */
const conversions: readonly Conversion[] = [];

/** The layout that this release writes. */
export const currentFormat = conversions.length + 1;

const purposeOf = (trashID: string, kind: string, recordID: string) => `trash_row.body:${trashID}/${kind}/${recordID}`;

export interface SealedRecord {
  readonly trash_id: string;
  readonly kind: string;
  readonly record_id: string;
}

export function sealBody(secrets: Secrets, { trash_id, kind, record_id }: SealedRecord, body: TrashBody): Uint8Array {
  const json = JSON.stringify(body);
  return secrets.seal(new Uint8Array(Buffer.from(json)), purposeOf(trash_id, kind, record_id));
}

/** Refuses a body that a later release wrote. */
export function openBody(
  secrets: Secrets,
  { trash_id, kind, record_id, format, body }: SealedRecord & { readonly format: number; readonly body: Uint8Array },
): TrashBody {
  if (format > currentFormat) throw refusal('RESTORE_LATER_RELEASE');
  const json = Buffer.from(secrets.open(body, purposeOf(trash_id, kind, record_id))).toString();
  return conversions.slice(format - 1).reduce((older, convert) => convert(older), JSON.parse(json) as TrashBody);
}

/** Values that JSON does not have are objects with one member; so are the values of JSON columns. */
export function encodeRow(row: TableRow): TableRow {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, encode(value)]));
}

function encode(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: value.toBase64() };
  if (value instanceof Date) return { time: value.toISOString() };
  return typeof value === 'object' && value !== null ? { json: value } : value;
}

export function decodeRow(row: TableRow): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, decode(value)]));
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { bytes, time, json } = value as { bytes?: string; time?: string; json?: unknown };
  if (bytes !== undefined) return Uint8Array.fromBase64(bytes);
  return time === undefined ? json : new Date(time);
}

/** The rows of a table with one of these values in a column, by value. */
export async function rowsOf(
  { query }: Pick<Database, 'query'>,
  table: keyof Tables,
  column: string,
  values: readonly (string | number)[],
): Promise<ReadonlyMap<string, TableRow[]>> {
  // One table stands for all: their names and columns are declared in `kinds.ts`.
  const rows = (await query
    .selectFrom(table as 'application')
    .selectAll()
    .where(column as 'id', 'in', values as readonly number[])
    .execute()) as unknown as TableRow[];
  return Map.groupBy(rows, (row) => String(row[column]));
}
