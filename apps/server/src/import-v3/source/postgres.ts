import { isIP } from 'node:net';
import pg from 'pg';
import { type DatabaseAddress, readDSN } from './dsn.ts';
import type { AddressOf } from './named-server.ts';
import { columnName, type SourceSchema, type SourceTable } from './schema.ts';

export type SourceRow = Readonly<Record<string, unknown>>;

/** One database of version 3, read as a snapshot and never written. */
export interface SourceDatabase extends AsyncDisposable {
  /** `host:port/name`. */
  where: string;
  schema: SourceSchema;
  /** All rows of a table in batches; with `columns` only these, with `after` only rows with a higher id. */
  rows: (table: string, columns?: readonly string[], after?: string) => AsyncGenerator<SourceRow[]>;
  /** The rows of a table that has ids, up to this one. */
  extent: (table: string, last?: string) => Promise<Extent>;
  /** The rows whose column has one of the values. */
  rowsWhere: (
    table: string,
    column: string,
    values: readonly unknown[],
    columns?: readonly string[],
  ) => Promise<SourceRow[]>;
}

/** Two equal extents mean the same rows, since the row of an id never changes. */
export interface Extent {
  rows: number;
  /** The sum of all ids as decimal text, and the highest id. */
  sum: string;
  last: string;
}

/** Why a database cannot be read, in a sentence. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';
}

const connectMs = 10_000;
const statementMs = 120_000;
const batch = 1000;

/** Throws UnreadableSource when the database cannot be reached, has another version or lacks a table or column. */
export async function openSource(dsn: string, schema: SourceSchema, addressOf: AddressOf): Promise<SourceDatabase> {
  const address = placeOf(dsn, schema);
  const { host, port, user, password, database } = address;
  const where = `${host}:${port}/${database ?? ''}`;
  const client = new pg.Client({
    ...address,
    host: await addressOf({ host, port, sent: [user, password, database] }),
    // Certificates are issued for the name, not for the address.
    ssl: address.ssl && { ...address.ssl, ...(isIP(host) === 0 && { servername: host }) },
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    // For a server that stops answering.
    query_timeout: statementMs + connectMs,
    application_name: 'hilltop import-v3',
    types: { getTypeParser },
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new UnreadableSource(`The database of the ${schema.what} at ${where} cannot be opened: ${errorText(error)}.`);
  }
  try {
    await client.query("begin transaction isolation level repeatable read read only; set local time zone 'UTC'");
    await check(client, schema, where);
  } catch (error) {
    await client.end();
    if (error instanceof UnreadableSource) throw error;
    throw new UnreadableSource(`The database of the ${schema.what} at ${where} cannot be read: ${errorText(error)}.`);
  }
  let cursors = 0;
  const select = (table: string, columns: readonly string[] = tableOf(schema, table).columns) => {
    return `select ${columns.map((column) => (columnName(column) === column ? `"${column}"` : column)).join(', ')} from "${table}"`;
  };
  return {
    where,
    schema,
    async *rows(table, columns, after) {
      const cursor = `hilltop_${(cursors += 1)}`;
      const { order } = tableOf(schema, table);
      await client.query(
        `declare ${cursor} no scroll cursor for ${select(table, columns)}${beyond(after)} order by ${order}`,
      );
      for (;;) {
        const { rows } = await client.query<SourceRow>(`fetch ${batch} from ${cursor}`);
        if (rows.length > 0) yield rows;
        if (rows.length < batch) break;
      }
      await client.query(`close ${cursor}`);
    },
    extent: async (table, last) => {
      const upTo = last === undefined ? '' : ` where id <= ${Number(last)}`;
      const text = `select count(*) as rows, coalesce(sum(id), 0)::text as sum, coalesce(max(id), 0)::text as last from "${table}"${upTo}`;
      return (await client.query<Extent>(text)).rows[0]!;
    },
    rowsWhere: async (table, column, values, columns) => {
      if (values.length === 0) return [];
      const { order } = tableOf(schema, table);
      const text = `${select(table, columns)} where "${column}" = any($1) order by ${order}`;
      return (await client.query<SourceRow>(text, [values])).rows;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const beyond = (id: string | undefined) => (id === undefined ? '' : ` where id > ${Number(id)}`);

function placeOf(dsn: string, { what }: SourceSchema): DatabaseAddress {
  try {
    return readDSN(dsn);
  } catch (error) {
    throw new UnreadableSource(`The file of the ${what} does not name its database: ${(error as Error).message}.`);
  }
}

const { INT8, NUMERIC, TIMESTAMPTZ } = pg.types.builtins;
const parseAnyTime = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => unknown;
/** For typical years, in UTC. Parsing is fast: a hundred thousand devices have a million times. */
const isUsualTime = (text: string) => text[10] === ' ' && text.endsWith('+00');
const digitAt = (text: string, index: number) => text.charCodeAt(index) - 48;
const twoAt = (text: string, index: number) => 10 * digitAt(text, index) + digitAt(text, index + 1);

/** As PostgreSQL writes it: `2026-11-23 03:12:51.123456+00`, without trailing zeros. */
function parseTime(text: string): unknown {
  if (!isUsualTime(text)) return parseAnyTime(text);
  const year = 100 * twoAt(text, 0) + twoAt(text, 2);
  const time = Date.UTC(year, twoAt(text, 5) - 1, twoAt(text, 8), twoAt(text, 11), twoAt(text, 14), twoAt(text, 17));
  const end = text.length - 3;
  let [ms, worth] = [0, 100];
  for (let index = 20; index < end && worth >= 1; index += 1, worth /= 10) ms += worth * digitAt(text, index);
  return new Date(time + ms);
}

/** Sums and times of version 3 are far below 2^53; decimals are percentages. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  [TIMESTAMPTZ]: parseTime,
};

const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  parsers[oid] ?? pg.types.getTypeParser(oid, format as 'text');

async function check(client: pg.Client, schema: SourceSchema, where: string): Promise<void> {
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    'select table_name, column_name from information_schema.columns where table_schema = any (current_schemas(false))',
  );
  const columns = new Map<string, Set<string>>();
  for (const { table_name: table, column_name: column } of rows)
    columns.set(table, (columns.get(table) ?? new Set()).add(column));
  const refuse = (sentence: string): never => {
    throw new UnreadableSource(`The database of the ${schema.what} at ${where} ${sentence}`);
  };
  if (columns.has('__diesel_schema_migrations') || columns.has('tenant'))
    refuse('is of version 4, which cannot be imported. Name the database of version 3.');
  if (!columns.has('schema_migrations'))
    refuse(
      columns.has('gorp_migrations')
        ? `is of an old release: start ${schema.release} once on it, then repeat the import.`
        : 'has no table schema_migrations: it is not a database of version 3, or the name is wrong.',
    );
  const { rows: versions } = await client.query<{ version: number; dirty: boolean }>(
    'select version, dirty from schema_migrations order by version desc',
  );
  const [{ version, dirty } = { version: 0, dirty: false }] = versions;
  if (dirty) refuse('has an unfinished upgrade (schema_migrations.dirty): finish it first.');
  if (version < schema.version)
    refuse(
      `has schema ${version}, and ${schema.version} is needed: start ${schema.release} once on it, then repeat the import.`,
    );
  if (version > schema.version)
    refuse(`has schema ${version}, which is newer than ${schema.version}, the newest that can be imported.`);
  const missing = Object.entries(schema.tables).flatMap(([table, facts]) => {
    const known = columns.get(table);
    if (!known) return [`table ${table}`];
    return facts.columns
      .map(columnName)
      .filter((column) => !known.has(column))
      .map((column) => `${table}.${column}`);
  });
  if (missing.length > 0) refuse(`lacks ${missing.join(', ')}: restore it from a backup.`);
}

function tableOf(schema: SourceSchema, table: string): SourceTable {
  return schema.tables[table]!;
}

/** The message of PostgreSQL or of the network; never the values sent. */
function errorText(error: unknown): string {
  const { message, code } = (error instanceof AggregateError ? error.errors[0] : error) as Error & { code?: string };
  return code === 'ECONNREFUSED' ? 'nothing listens there' : message.replace(/\.$/, '');
}
