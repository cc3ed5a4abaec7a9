import pg from 'pg';
import { typeParsers } from '../database/postgres.ts';
import { cannotOpenDatabase, StartError } from '../start-error.ts';
import { columnType } from './column-types.ts';
import { type BackupSource, rowsPerBatch } from './source.ts';

/** A connection for a backup or a restore, with values as SQLite has them. */
export async function connectPostgres(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000, types: typeParsers });
  // Without a listener a lost connection would end the process; the next statement reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw cannotOpenDatabase('HILLTOP_DATABASE_URL', error);
  }
  return client;
}

/** The columns of a table with their types as `format_type` writes them; none when there is no such table. */
export async function postgresColumns(client: pg.Client, table: string): Promise<{ name: string; sqlType: string }[]> {
  const { rows } = await client.query<{ name: string; sqlType: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as "sqlType" from pg_attribute
      where attrelid = to_regclass(quote_ident($1)) and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows;
}

const sequenceQuery = `select t.relname as table, s.relname as sequence from pg_class s
  join pg_depend d on d.objid = s.oid and d.deptype = 'a' join pg_class t on t.oid = d.refobjid
  where s.relkind = 'S' and s.relnamespace = to_regnamespace(current_schema())`;

export async function postgresSequences(client: pg.Client): Promise<{ table: string; sequence: string }[]> {
  return (await client.query<{ table: string; sequence: string }>(sequenceQuery)).rows;
}

export async function openPostgresSource(url: string): Promise<BackupSource> {
  const client = await connectPostgres(url);
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows: executed } = await client
      .query<{ name: string }>('select name from kysely_migration order by name')
      .catch(() => {
        throw new StartError(
          'The database at HILLTOP_DATABASE_URL is not one of Hilltop: there is nothing to back up.',
        );
      });
    return sourceOf(
      client,
      executed.map(({ name }) => name),
    );
  } catch (error) {
    await client.end();
    throw error;
  }
}

function sourceOf(client: pg.Client, migrations: string[]): BackupSource {
  return {
    kind: 'postgres',
    migrations,
    columns: async (table) => {
      const columns = await postgresColumns(client, table);
      return columns.length === 0
        ? undefined
        : columns.map(({ name, sqlType }) => ({ name, type: columnType(sqlType) }));
    },
    rows: async function* (table, columns) {
      const list = columns.map(({ name }) => client.escapeIdentifier(name)).join(', ');
      await client.query(`declare backup no scroll cursor for select ${list} from ${client.escapeIdentifier(table)}`);
      for (;;) {
        const text = `fetch ${rowsPerBatch} from backup`;
        const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
        yield rows;
        if (rows.length < rowsPerBatch) break;
      }
      await client.query('close backup');
    },
    sequences: async () => {
      const last: Record<string, number> = {};
      for (const { table, sequence } of await postgresSequences(client)) {
        const { rows } = await client.query<{ last: number }>(
          `select case when is_called then last_value else 0 end as last from ${client.escapeIdentifier(sequence)}`,
        );
        last[table] = Number(rows[0]!.last);
      }
      return last;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
