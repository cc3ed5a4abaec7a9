import type pg from 'pg';
import { restoreMark } from '../database/interrupted-restore.ts';
import { migrate, readSteps } from '../database/migrations.ts';
import { postgres } from '../database/postgres.ts';
import { StartError } from '../start-error.ts';
import { columnType, postgresExpression } from './column-types.ts';
import type { Manifest } from './manifest.ts';
import { connectPostgres, postgresColumns, postgresSequences } from './postgres-source.ts';
import { rowsPerBatch } from './source.ts';
import type { LoadedPart, RestoreTarget } from './target.ts';

/** Whether there is a database that a restore would replace. Refuses one with tables of another program. */
export async function hasPostgresDatabase(url: string): Promise<boolean> {
  const client = await connectPostgres(url);
  try {
    const tables = await tablesOf(client);
    if (tables.length > 0 && !tables.includes('kysely_migration') && !tables.includes(restoreMark))
      throw new StartError('The database at HILLTOP_DATABASE_URL has tables of another program: use an empty one.');
    return tables.length > 0;
  } finally {
    await client.end();
  }
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  );
  return rows.map(({ name }) => name);
}

/** Removes what the database has, and fills it in one transaction. Until that has ended, no server starts on it. */
export async function createPostgresTarget(url: string, manifest: Manifest): Promise<RestoreTarget> {
  const client = await connectPostgres(url);
  try {
    await removeTables(client);
    await migrateTo(url, new Set(manifest.migrations));
    await client.query('begin');
    const later = await dropForeignKeysAndIndexes(client);
    const begun = new Set<string>();
    const sqlTypes = new Map<string, readonly string[]>();
    return {
      columns: async (table) => {
        const columns = await postgresColumns(client, table);
        if (columns.length === 0) return undefined;
        return columns.map(({ name, sqlType }) => ({ name, type: columnType(sqlType) }));
      },
      load: async (part) => {
        if (!begun.has(part.table)) {
          await client.query(`delete from ${client.escapeIdentifier(part.table)}`);
          sqlTypes.set(part.table, await typesFor(client, part));
          begun.add(part.table);
        }
        await insertRows(client, part, sqlTypes.get(part.table)!);
      },
      finish: async ({ sequences }) => {
        for (const statement of later) await client.query(statement);
        for (const { table, sequence } of await postgresSequences(client))
          await client.query('select setval($1::regclass, $2, $3)', [
            client.escapeIdentifier(sequence),
            Math.max(1, sequences[table] ?? 0),
            (sequences[table] ?? 0) > 0,
          ]);
        await client.query('commit');
        await migrateTo(url);
        await client.query('analyze');
        await client.query(`drop table ${restoreMark}`);
      },
      [Symbol.asyncDispose]: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function removeTables(client: pg.Client): Promise<void> {
  const tables = await tablesOf(client);
  await client.query('begin');
  for (const table of tables) await client.query(`drop table ${client.escapeIdentifier(table)} cascade`);
  await client.query(`create table ${restoreMark} ()`);
  await client.query('commit');
}

/** Runs the named steps of the schema; all without names. */
async function migrateTo(url: string, names?: ReadonlySet<string>): Promise<void> {
  const steps = Object.entries(await readSteps()).filter(([name]) => names?.has(name) ?? true);
  const engine = postgres(url);
  try {
    await migrate(engine, undefined, Object.fromEntries(steps));
  } finally {
    await engine.kysely.destroy();
  }
}

/** Answers the statements that create them again: rows are inserted faster, and in any order, without them. */
async function dropForeignKeysAndIndexes(client: pg.Client): Promise<string[]> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = to_regnamespace(current_schema())`,
  );
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = to_regnamespace(current_schema())
        and not exists (select from pg_constraint where conindid = i.indexrelid)`,
  );
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  return [
    ...indexes.map(({ definition }) => definition),
    ...keys.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
  ];
}

async function typesFor(client: pg.Client, { table, columns }: LoadedPart): Promise<string[]> {
  const types = new Map((await postgresColumns(client, table)).map(({ name, sqlType }) => [name, sqlType]));
  return columns.map(({ name }) => types.get(name)!);
}

async function insertRows(
  client: pg.Client,
  { table, columns, rows }: LoadedPart,
  sqlTypes: readonly string[],
): Promise<void> {
  const list = columns.map(({ name }) => client.escapeIdentifier(name)).join(', ');
  const values = columns.map((column, index) => postgresExpression(column, index, sqlTypes[index]!)).join(', ');
  const text = `insert into ${client.escapeIdentifier(table)} (${list}) select ${values} from json_array_elements($1::json) r`;
  for (let from = 0; from < rows.length; from += rowsPerBatch)
    await client.query(text, [JSON.stringify(rows.slice(from, from + rowsPerBatch))]);
}
