import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { type Migration as KyselyMigration, Migrator } from 'kysely/migration';
import type { DatabaseKind, Engine } from './database.ts';
import type { Migration } from './migration.ts';

/** Each file is a step, in the order of their names; one that has run anywhere is never changed again. */
const steps = new URL('migrations/', import.meta.url);

async function readSteps(kind: DatabaseKind): Promise<Record<string, KyselyMigration>> {
  const read = readdirSync(steps).map(async (file): Promise<[name: string, step: KyselyMigration]> => {
    const { up }: { up: Migration } = await import(new URL(file, steps).href);
    return [parse(file).name, { up: (db) => up(db, kind) }];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Whether no version has ever written into it. */
export async function isEmpty({ kysely }: Engine): Promise<boolean> {
  const tables = await kysely.introspection.getTables({ withInternalKyselyTables: true });
  return !tables.some(({ name }) => name === 'kysely_migration');
}

/** Brings the schema up to this version; each step is done whole or not at all. A newer database is refused. */
export async function migrate({ kind, kysely }: Engine): Promise<void> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: () => readSteps(kind) },
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message))
    throw new Error('a newer version of Hilltop has written it', { cause: error });
  if (error) throw error;
}
