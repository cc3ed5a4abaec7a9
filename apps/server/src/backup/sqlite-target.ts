import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type DataDirectory, restoringFile } from '../data-directory.ts';
import { migrate, readSteps } from '../database/migrations.ts';
import { sqlite } from '../database/sqlite.ts';
import { openHistoryFile } from '../history/stores.ts';
import { StartError } from '../start-error.ts';
import { type Column, columnType, decodeForSQLite } from './column-types.ts';
import type { Manifest } from './manifest.ts';
import { searchColumn } from './sqlite-source.ts';
import { isInHistoryFile } from './table-list.ts';
import type { LoadedPart, RestoreTarget } from './target.ts';
import { syncDirectory } from './write-backup.ts';

const companions = ['', '-wal', '-shm', '-journal'];

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of companions) await rm(file + suffix, { force: true });
}

/** Whether there is a database that a restore would replace. */
export const hasSQLiteDatabase = ({ databaseFile }: Pick<DataDirectory, 'databaseFile'>): boolean =>
  existsSync(databaseFile) || existsSync(restoringFile(databaseFile));

/**
 * Fills a new file beside the database and renames it at the end. While that file exists, no server starts: between
 * removing the former files and the last rename they do not belong together.
 */
export async function createSQLiteTarget(
  files: Pick<DataDirectory, 'databaseFile' | 'historyFile'>,
  manifest: Manifest,
): Promise<RestoreTarget> {
  const newMain = restoringFile(files.databaseFile);
  const newHistory = restoringFile(files.historyFile);
  await removeDatabase(newMain);
  await removeDatabase(newHistory);
  const engine = sqlite(newMain);
  const steps = await readSteps();
  const given = new Set(manifest.migrations);
  const executed = Object.fromEntries(Object.entries(steps).filter(([name]) => given.has(name)));
  await migrate(engine, undefined, executed).catch(async (error: unknown) => {
    await engine.kysely.destroy();
    await removeDatabase(newMain);
    throw new StartError(`The migrations that the backup names cannot be executed: ${(error as Error).message}.`);
  });
  await engine.kysely.destroy();
  const main = openForLoading(newMain);
  const history = manifest.hasHistory ? await openHistoryFile(newHistory) : undefined;
  history?.exec('pragma journal_mode = off; pragma synchronous = off; begin');
  const of = (table: string) => (isInHistoryFile(table) ? history : main);
  const isDone = { value: false };
  const inserts = new Map<string, StatementSync>();
  const target: RestoreTarget = {
    columns: async (table) => columnsOf(of(table), table),
    load: async (part) => insertRows(of(part.table)!, part, inserts),
    finish: async ({ sequences }) => {
      inserts.clear();
      finishLoading(main, sequences);
      if (history) finishHistory(history, sequences);
      const complete = sqlite(newMain);
      await migrate(complete);
      await complete.kysely.destroy();
      await putInPlace(files, { hasHistory: history !== undefined });
      isDone.value = true;
    },
    [Symbol.asyncDispose]: async () => {
      for (const database of [main, history]) if (database?.isOpen) database.close();
      if (!isDone.value) for (const file of [newHistory, newMain]) await removeDatabase(file);
    },
  };
  return target;
}

function openForLoading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.function('lower', { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text));
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -64000; begin');
  return database;
}

function columnsOf(database: DatabaseSync | undefined, table: string): Column[] | undefined {
  const info = database?.prepare('select name, type from pragma_table_info(?)').all(table) ?? [];
  if (info.length === 0) return undefined;
  return info
    .filter(({ name }) => name !== searchColumn)
    .map(({ name, type }) => ({ name: String(name), type: columnType(String(type)) }));
}

function insertRows(
  database: DatabaseSync,
  { table, columns, rows }: LoadedPart,
  inserts: Map<string, StatementSync>,
): void {
  let insert = inserts.get(table);
  if (!insert) {
    database.exec(`delete from "${table}"`);
    const names = columns.map(({ name }) => `"${name}"`);
    const values = columns.map(() => '?');
    // Devices wait for their index of texts, and all are indexed at the end.
    if (table === 'device') {
      names.push(searchColumn);
      values.push('0');
    }
    insert = database.prepare(`insert into "${table}" (${names.join(', ')}) values (${values.join(', ')})`);
    inserts.set(table, insert);
  }
  for (const row of rows) insert.run(...row.map((value, index) => decodeForSQLite(columns[index]!.type, value)));
}

function finishLoading(database: DatabaseSync, sequences: Manifest['sequences']): void {
  database.exec(`update device set ${searchColumn} = null where ${searchColumn} = 0`);
  setSequences(database, sequences);
  const [broken] = database.prepare('pragma foreign_key_check').all();
  if (broken)
    throw new StartError(`The backup is not consistent: a row of ${String(broken['table'])} refers to a missing row.`);
  database.exec('commit');
  database.close();
}

function finishHistory(database: DatabaseSync, sequences: Manifest['sequences']): void {
  setSequences(database, sequences);
  database.exec('commit');
  database.close();
}

function setSequences(database: DatabaseSync, sequences: Manifest['sequences']): void {
  const generated = database
    .prepare("select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'")
    .all()
    .map(({ name }) => String(name));
  for (const table of generated) {
    database.prepare('delete from sqlite_sequence where name = ?').run(table);
    database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, sequences[table] ?? 0);
  }
}

async function putInPlace(
  { databaseFile, historyFile }: Pick<DataDirectory, 'databaseFile' | 'historyFile'>,
  { hasHistory }: { hasHistory: boolean },
): Promise<void> {
  for (const file of [databaseFile, ...(hasHistory ? [historyFile] : [])]) await syncFile(restoringFile(file));
  await removeDatabase(databaseFile);
  await removeDatabase(historyFile);
  if (hasHistory) await rename(restoringFile(historyFile), historyFile);
  await syncDirectory(dirname(databaseFile));
  // The last step: from here on a server starts.
  await rename(restoringFile(databaseFile), databaseFile);
  await syncDirectory(dirname(databaseFile));
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}
