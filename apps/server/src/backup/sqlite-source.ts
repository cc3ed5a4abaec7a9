import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { noDatabaseAt } from '../data-directory.ts';
import { StartError } from '../start-error.ts';
import { columnType } from './column-types.ts';
import { type BackupSource, rowsPerBatch } from './source.ts';
import { isInHistoryFile } from './table-list.ts';

/** Connects the row of a text with its index; the database that is restored into has its own. */
export const searchColumn = 'search_row';

interface SQLiteFiles {
  databaseFile: string;
  historyFile: string;
}

/**
 * Opens the snapshot of the main file first: what is in the history above the position of its log is in the log as well,
 * and a restored server removes it from the history.
 */
export async function openSQLiteSource(files: SQLiteFiles, withHistory: boolean): Promise<BackupSource> {
  const main = openSnapshot(files.databaseFile);
  const history = withHistory && existsSync(files.historyFile) ? openSnapshot(files.historyFile) : undefined;
  const of = (table: string) => (isInHistoryFile(table) ? history : main);
  const migrations = names(main, 'select name from kysely_migration order by name');
  return {
    kind: 'sqlite',
    migrations,
    columns: async (table) => {
      const info = of(table)?.prepare('select name, type from pragma_table_info(?)').all(table) ?? [];
      const columns = info
        .filter(({ name }) => name !== searchColumn)
        .map(({ name, type }) => ({ name: String(name), type: columnType(String(type)) }));
      return columns.length === 0 ? undefined : columns;
    },
    rows: async function* (table, columns) {
      const list = columns.map(({ name }) => `"${name}"`).join(', ');
      const statement = of(table)!.prepare(`select ${list} from "${table}"`);
      statement.setReturnArrays(true);
      let batch: unknown[][] = [];
      for (const row of statement.iterate() as unknown as Iterable<unknown[]>) {
        batch.push(row);
        if (batch.length < rowsPerBatch) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    },
    sequences: async () =>
      Object.fromEntries(
        [main, history].flatMap((database) =>
          (database?.prepare('select name, seq from sqlite_sequence').all() ?? []).map(({ name, seq }) => [
            String(name),
            Number(seq),
          ]),
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      history?.close();
      main.close();
    },
  };
}

function openSnapshot(path: string): DatabaseSync {
  if (!existsSync(path)) throw new StartError(noDatabaseAt(path));
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  // The snapshot begins with the first read.
  database.exec('begin');
  names(database, 'select name from sqlite_schema limit 1');
  return database;
}

const names = (database: DatabaseSync, statement: string): string[] =>
  database
    .prepare(statement)
    .all()
    .map(({ name }) => String(name));
