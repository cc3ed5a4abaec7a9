import { closeSync, existsSync, openSync, renameSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Dialect, Kysely, SqliteDialect } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';
import { createHistoryTables, createSeriesTables } from '../database/history-tables.ts';
import type { Tables } from '../database/tables.ts';
import type { HistoryTables } from './tables.ts';

/** The connections of the history worker. */
export interface HistoryStores {
  readonly kind: DatabaseKind;
  /** Reads the event log. */
  readonly log: Kysely<Tables>;
  /** Undefined when nothing is sealed. Reads never wait for a transaction of `blocks.write`. */
  readonly blocks: { readonly read: Kysely<HistoryTables>; readonly write: Kysely<HistoryTables> } | undefined;
  /** Gives free space of the file back to the disk. */
  shrink(): void;
  close(): Promise<void>;
}

export interface StoreSettings {
  /** Empty on SQLite. */
  databaseURL: string;
  databaseFile: string;
  /** Undefined when nothing is sealed. */
  historyFile: string | undefined;
}

export async function openStores(settings: StoreSettings): Promise<HistoryStores> {
  return settings.databaseURL === '' ? openFiles(settings) : openPostgres(settings);
}

async function openFiles({ databaseFile, historyFile }: StoreSettings): Promise<HistoryStores> {
  const main = new DatabaseSync(databaseFile, { readOnly: true, timeout: 5000 });
  const log = new Kysely<Tables>({ dialect: dialectOf(main) });
  if (historyFile === undefined)
    return { kind: 'sqlite', log, blocks: undefined, shrink: () => undefined, close: () => log.destroy() };
  try {
    const { writer, reader } = await openConnections(historyFile);
    const write = new Kysely<HistoryTables>({ dialect: dialectOf(writer, reportingDamage) });
    const read = new Kysely<HistoryTables>({ dialect: dialectOf(reader, reportingDamage) });
    return {
      kind: 'sqlite',
      log,
      blocks: { read, write },
      shrink: () => writer.exec('pragma incremental_vacuum(10000)'),
      close: async () => void (await Promise.all([log.destroy(), read.destroy(), write.destroy()])),
    };
  } catch (error) {
    main.close();
    throw error;
  }
}

async function openConnections(path: string): Promise<{ writer: DatabaseSync; reader: DatabaseSync }> {
  try {
    return {
      writer: await openHistoryFile(path),
      reader: new DatabaseSync(path, { readOnly: true, timeout: 5000 }),
    };
  } catch (error) {
    if (error instanceof DamagedHistory) throw error;
    throw new Error(
      `The history file ${path} cannot be used: ${(error as Error).message}. Correct its owner and permissions and check the disk, or stop Hilltop and move the file away: a new one begins with what the event log has.`,
      { cause: error },
    );
  }
}

/** The schema of the file; its version is how many steps it has. */
const steps = [createHistoryTables, createSeriesTables];

export async function openHistoryFile(path: string): Promise<DatabaseSync> {
  const isNew = !existsSync(path);
  // SQLite would create a file that others can read.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    const version = reportingDamage(() => {
      if (isNew) database.exec('pragma auto_vacuum = incremental');
      database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -8000');
      return (database.prepare('pragma user_version').get() as { user_version: number }).user_version;
    });
    if (version < steps.length) {
      const query = new Kysely<unknown>({ dialect: dialectOf(database) });
      database.exec('begin immediate');
      for (const step of steps.slice(version)) await step(query, 'sqlite');
      database.exec(`pragma user_version = ${steps.length}; commit`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The file of the history is not a database or has a damaged page. */
export class DamagedHistory extends Error {}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = new Set([11, 26]);

function reportingDamage<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode !== undefined && damageCodes.has(errcode & 0xff))
      throw new DamagedHistory(String(error), { cause: error });
    throw error;
  }
}

/** Renames an unreadable file and answers its new name. */
export function renameDamaged(historyFile: string, at: Date): string {
  const renamedTo = `${historyFile}.broken-${at.toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(historyFile + suffix)) renameSync(historyFile + suffix, renamedTo + suffix);
  }
  return renamedTo;
}

/** Sealing runs few statements very often; of others there are as many as lengths of lists. */
const mostPrepared = 50;

/** `run` gets each access to the database. */
function dialectOf(database: DatabaseSync, run: <T>(access: () => T) => T = (access) => access()): Dialect {
  const prepared = new Map<string, { statement: StatementSync; columns: readonly string[] }>();
  const prepare = (sql: string) => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = run(() => database.prepare(sql));
    const columns = statement.columns().map(({ name }) => name);
    // Objects of the binding are slow to read, because it creates them as dictionaries.
    statement.setReturnArrays(true);
    const added = { statement, columns };
    if (prepared.size >= mostPrepared) prepared.clear();
    prepared.set(sql, added);
    return added;
  };
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare: (sql) => {
        const { statement, columns } = prepare(sql);
        const values = (given: readonly unknown[]) => given as SQLInputValue[];
        return {
          reader: columns.length > 0,
          all: (given) => {
            const rows = run(() => statement.all(...values(given))) as unknown as unknown[][];
            return rows.map((row) => rowOf(columns, row));
          },
          run: (given) => {
            // A full disk ends the transaction by itself, and its error must reach the caller.
            if (sql === 'rollback' && !database.isTransaction) return { changes: 0, lastInsertRowid: 0 };
            return run(() => statement.run(...values(given)));
          },
          iterate: (given) => statement.iterate(...values(given)),
        };
      },
    },
  });
}

function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index];
  return row;
}

async function openPostgres({ databaseURL, historyFile }: StoreSettings): Promise<HistoryStores> {
  const { smallPool } = await import('../database/postgres.ts');
  const kysely = smallPool(databaseURL);
  const blocks = kysely as unknown as Kysely<HistoryTables>;
  return {
    kind: 'postgres',
    log: kysely,
    blocks: historyFile === undefined ? undefined : { read: blocks, write: blocks },
    shrink: () => undefined,
    close: () => kysely.destroy(),
  };
}
