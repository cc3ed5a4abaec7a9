import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { filesIn } from '../../data-directory.ts';
import { openHistoryFile } from '../../history/stores.ts';
import type { TestStorage } from '../../testing/databases.ts';
import { type ColumnType, columnType, postgresExpression } from '../column-types.ts';
import { postgresColumns } from '../postgres-source.ts';
import { isInHistoryFile, tablesToCopy } from '../table-list.ts';

const rowsPerTable = 3;

/** Counters are at positions 4 to 6, lists at 28 and 43. */
const sessionOf = (i: number): string => {
  const body: unknown[] = Array.from({ length: 48 }, () => null);
  Object.assign(body, { 4: i, 5: 2 * i, 6: 3 * i, 28: [], 43: [], 44: false, 47: false });
  return JSON.stringify(body);
};

/** Values that are not just of their type. */
const special: Readonly<Record<string, (i: number) => unknown>> = {
  'ns_session.body': sessionOf,
  'integration_state.position': (i) => `${10 * i}`,
  'integration_state.done_ahead': () => '[]',
  'job.state': (i) => ['RUNNING', 'DONE', 'WAITING'][i - 1],
  'device.search_row': () => undefined,
};

const values: Readonly<Record<ColumnType, (i: number) => unknown>> = {
  boolean: (i) => i % 2 === 0,
  bytes: (i) => Buffer.from([i, 0, 255]).toString('base64'),
  double: (i) => i + 0.1,
  integer: (i) => i,
  json: (i) => ({ text: `é"\n${i}`, number: i / 3, list: [i, null] }),
  // Rows refer to each other by equal texts.
  text: (i) => `é"\n😀${i}`,
  time: (i) => `2026-01-0${i}T01:02:03.04${i}Z`,
};

const onlyOne: ReadonlySet<string> = new Set(['installation', 'key_check']);

function rowOf(table: string, columns: readonly { name: string; type: ColumnType }[], i: number): unknown[] {
  return columns.map(({ name, type }) => (special[`${table}.${name}`] ?? values[type])(i));
}

/** Writes rows into every table that a backup copies, on a migrated database. */
export async function fillEveryTable({ dataDir, databaseURL }: TestStorage): Promise<void> {
  if (databaseURL) await fillPostgres(databaseURL);
  else await fillSQLite(dataDir);
}

const tables = () => tablesToCopy({ withHistory: true }).filter((table) => !onlyOne.has(table));

async function fillSQLite(dataDir: string): Promise<void> {
  const { databaseFile, historyFile } = filesIn(dataDir);
  const main = new DatabaseSync(databaseFile, { enableForeignKeyConstraints: false });
  main.function('lower', { deterministic: true }, (text) => String(text).toLowerCase());
  const history = await openHistoryFile(historyFile);
  for (const table of tables()) {
    const database = isInHistoryFile(table) ? history : main;
    const columns = database
      .prepare('select name, type from pragma_table_info(?)')
      .all(table)
      .map(({ name, type }) => ({ name: String(name), type: columnType(String(type)) }))
      .filter(({ name }) => name !== 'search_row');
    database.exec(`delete from "${table}"`);
    const list = columns.map(({ name }) => `"${name}"`).join(', ');
    const insert = database.prepare(`insert into "${table}" (${list}) values (${columns.map(() => '?').join(', ')})`);
    for (let i = 1; i <= rowsPerTable; i += 1)
      insert.run(...rowOf(table, columns, i).map((value, at) => inSQLite(columns[at]!.type, value)));
  }
  main.close();
  history.close();
}

function inSQLite(type: ColumnType, value: unknown) {
  if (type === 'bytes') return Buffer.from(value as string, 'base64');
  if (type === 'json') return JSON.stringify(value);
  if (type === 'boolean') return value ? 1 : 0;
  return value as string | number;
}

async function fillPostgres(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // Without checks of foreign keys, so that the order does not matter.
  await client.query('set session_replication_role = replica');
  for (const table of tables()) {
    const described = await postgresColumns(client, table);
    const columns = described.map(({ name, sqlType }) => ({ name, type: columnType(sqlType) }));
    await client.query(`delete from "${table}"`);
    const list = columns.map(({ name }) => `"${name}"`).join(', ');
    const expressions = columns.map((column, at) => postgresExpression(column, at, described[at]!.sqlType)).join(', ');
    for (let i = 1; i <= rowsPerTable; i += 1)
      await client.query(`insert into "${table}" (${list}) select ${expressions} from (select $1::json as r) s`, [
        JSON.stringify(rowOf(table, columns, i)),
      ]);
    if (columns.some(({ name }) => name === 'id'))
      await client.query(`select setval(pg_get_serial_sequence('"${table}"', 'id'), 50)`).catch(() => undefined);
  }
  await client.end();
}
