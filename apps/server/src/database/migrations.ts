import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration as KyselyMigration, Migrator } from 'kysely/migration';
import { isOlder, version } from '../version.ts';
import type { DatabaseEngine, DatabaseKind } from './database.ts';
import type { Step } from './migration.ts';

/** Steps by name, in the order in which they run. A released step never changes. */
export type Steps = Readonly<Record<string, Step>>;

/** The versions of the instance that migrates and of its peers. */
interface Versions {
  version: string;
  /** The versions of the other live instances. */
  others: readonly string[];
}

const folder = new URL('migrations/', import.meta.url);
/** Statements on a table wait behind a step that waits for the table, so the step gives up and lets them run first. */
const lockTimeout = '2s';
const lockTimedOut = '55P03';
const retryAfterMs = 500;
const mostTries = 60;

/** The files of `migrations/` by the name of the step. */
const stepFiles = (): ReadonlyMap<string, string> =>
  new Map(readdirSync(folder).map((file) => [parse(file).name, file]));

/** Loads the steps. A start leaves out the hundred that have run. */
export async function readSteps(leftOut: ReadonlySet<string> = new Set()): Promise<Steps> {
  const wanted = [...stepFiles()].filter(([name]) => !leftOut.has(name));
  const read = wanted.map(async ([name, file]): Promise<[name: string, step: Step]> => {
    return [name, (await import(new URL(file, folder).href)) as Step];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Whether no version has migrated the database. */
export async function isEmpty({ kysely, kind }: DatabaseEngine): Promise<boolean> {
  const table =
    kind === 'postgres'
      ? sql`select 1 where to_regclass('kysely_migration') is not null`
      : sql`select 1 from sqlite_master where name = 'kysely_migration'`;
  return (await table.execute(kysely)).rows.length === 0;
}

/**
 * Brings the schema up to this version. Each step runs completely or not at all, and beside other instances in its own
 * transaction. Answers the steps that wait until older instances have ended. Throws when a newer version has removed
 * what this one needs.
 */
export async function migrate(
  engine: DatabaseEngine,
  { version: own, others }: Versions = { version, others: [] },
  steps?: Steps,
): Promise<string[]> {
  const done = new Set(await executed(engine));
  const names = steps ? new Set(Object.keys(steps)) : stepFiles();
  await refuseOldVersion(engine, { own, unknown: [...done].filter((name) => !names.has(name)) });
  const known = steps ?? (await readSteps(done));
  const pending = Object.keys(known).filter((name) => !done.has(name));
  const waiting = pending.filter((name) => others.some((other) => isOlder(other, known[name]!.contract ?? '')));
  const given = Object.entries(known).filter(([name]) => !waiting.includes(name));
  const migrations = Object.fromEntries(given.map(([name, step]) => [name, inKysely(step, engine.kind)]));
  for (const name of done) migrations[name] ??= { up: () => Promise.resolve() };
  const migrator = new Migrator({
    db: engine.kysely,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    allowUnorderedMigrations: true,
  });
  const next = pending.filter((name) => !waiting.includes(name)).sort();
  // SQLite has one writer in any case.
  const isOutside = (name: string) => engine.kind === 'postgres' && known[name]!.isOutside === true;
  const isAlone = (name: string) => others.length > 0 || isOutside(name);
  for (const [nth, name] of next.entries()) {
    // Steps share a transaction when no other instance needs access in between.
    const following = next[nth + 1];
    if (following !== undefined && !isAlone(name) && !isAlone(following)) continue;
    await patiently(() => migrator.migrateTo(name, { disableTransactions: isOutside(name) }));
  }
  return waiting;
}

/** Throws unless the schema is one that this version works with. */
export async function requireSchema(engine: DatabaseEngine): Promise<void> {
  const done = new Set(await executed(engine));
  const names = stepFiles();
  await refuseOldVersion(engine, { own: version, unknown: [...done].filter((name) => !names.has(name)) });
  const pending = await readSteps(done);
  if (Object.values(pending).some(({ contract }) => contract === undefined))
    throw new Error('it has the schema of an older version: start this version of Hilltop once');
}

async function executed(engine: DatabaseEngine): Promise<string[]> {
  if (await isEmpty(engine)) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(engine.kysely);
  return rows.map(({ name }) => name);
}

async function refuseOldVersion(
  { kysely }: DatabaseEngine,
  { own, unknown }: { own: string; unknown: string[] },
): Promise<void> {
  if (unknown.length === 0) return;
  const row = await kysely
    .selectFrom('installation')
    .select('schema_compatible_from')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw new Error('a newer version of Hilltop has written it', { cause: error });
    });
  if (isOlder(own, row.schema_compatible_from))
    throw new Error(
      `a newer version of Hilltop has written it, and only ${row.schema_compatible_from} and newer can work with it`,
    );
}

function inKysely({ up, contract, isOutside }: Step, kind: DatabaseKind): KyselyMigration {
  return {
    up: async (db: Kysely<unknown>) => {
      if (kind === 'postgres' && !isOutside) await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(db);
      await up(db, kind);
      if (contract !== undefined) await sql`update installation set schema_compatible_from = ${contract}`.execute(db);
    },
  };
}

async function patiently(run: () => ReturnType<Migrator['migrateTo']>, tries = 1): Promise<void> {
  const { error } = await run();
  if (error === undefined) return;
  if ((error as { code?: string }).code !== lockTimedOut || tries === mostTries) throw error;
  await pause(retryAfterMs);
  return patiently(run, tries + 1);
}
