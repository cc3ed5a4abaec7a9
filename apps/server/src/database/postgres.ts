import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { ArrayParameter } from './batch-statement.ts';
import { Collision } from './collision.ts';
import { closeDeadConnections } from './dead-connections.ts';
import type { DatabaseEngine, EngineSavepoint, EngineTransaction, KyselyTransaction } from './engine.ts';
import { arrayBytes } from './postgres-array.ts';
import type { Tables } from './tables.ts';
import { Unreachable } from './unreachable.ts';
import { Violation } from './violation.ts';

interface Options {
  /** The database rolls back a transaction that is silent for this long, because others may wait for its locks. */
  silentMs?: number;
  /** A query without an answer for this long is given up unless the database is working on it. */
  unheardMs?: number;
}

/**
 * By default PostgreSQL assumes a disk with slow seeks: it would scan a table of 1,000 devices rather than look ten of
 * them up. Compiling takes longer than the statements that it would be used for.
 */
const planning = ['random_page_cost = 1.1', 'jit = off'];

/** PostgreSQL by URL (`postgres://user:password@host/name`). */
export function postgres(url: string, { silentMs, unheardMs = 10_000 }: Options = {}): DatabaseEngine {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    pipeline: true,
    connectionTimeoutMillis: 5000,
    types: typeParsers,
  });
  // The next query replaces a connection that was lost while idle; without a listener the error would end the process.
  pool.on('error', () => {});
  const connectionSettings = [
    ...planning,
    ...(silentMs === undefined ? [] : [`idle_in_transaction_session_timeout = ${silentMs}`]),
  ];
  pool.on('connect', (client) => {
    // A connection that fails here fails at its first statement too.
    client.query(connectionSettings.map((setting) => `set ${setting}`).join('; ')).catch(() => undefined);
  });
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: preparing(pool, closeDeadConnections({ url, silentMs: unheardMs })) }),
  });
  return {
    kind: 'postgres',
    kysely,
    isPipelined: true,
    hasOtherWriters: silentMs !== undefined,
    begin: async () => {
      const query = await kysely.startTransaction().execute();
      return postgresTransaction(query, await pipelineOf(query));
    },
    execute: (statement) => kysely.executeQuery(statement),
    executeUnflushed: (statement) => kysely.executeQuery(statement),
    isSettled: () => false,
  };
}

/** A few connections beside those of `postgres`, for work that may wait. */
export function smallPool(url: string): Kysely<Tables> {
  const pool = new pg.Pool({ connectionString: url, max: 3, connectionTimeoutMillis: 5000, types: typeParsers });
  pool.on('error', () => {});
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

type Execute = EngineTransaction['execute'];

/** Uses the connection directly: Kysely would send a statement of a transaction only after the previous answer. */
function pipelineOf(query: KyselyTransaction): Promise<Execute> {
  return query
    .getExecutor()
    .provideConnection((connection) => Promise.resolve((statement) => connection.executeQuery(statement)));
}

function postgresTransaction(query: KyselyTransaction, execute: Execute): EngineTransaction {
  return {
    query,
    execute,
    savepoint: () => postgresSavepoint(query, execute),
    isOpen: () => true,
    commit: () => query.commit().execute(),
    rollback: () => query.rollback().execute(),
  };
}

async function postgresSavepoint(outer: KyselyTransaction, execute: Execute): Promise<EngineSavepoint> {
  const query = await outer.savepoint('nested').execute();
  return {
    query,
    execute,
    savepoint: () => postgresSavepoint(query, execute),
    release: () => query.releaseSavepoint('nested').execute(),
    rollback: () => query.rollbackToSavepoint('nested').execute(),
  };
}

const int8 = 20;
const bytea = 17;

/** Returns counts and ids as numbers and bytes as plain Uint8Array, as SQLite does. */
const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format?: 'text' | 'binary') => {
  if (oid === int8) return Number;
  const parse = pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown;
  if (oid === bytea) return (value: string) => new Uint8Array(parse(value) as Uint8Array);
  return parse;
}) as typeof pg.types.getTypeParser;
export const typeParsers: { getTypeParser: typeof getTypeParser } = { getTypeParser };

/**
 * The pause between two attempts while no connection can be opened, and up to twice as long: a database that is
 * starting has a process for each connection, and thousands of attempts would delay it.
 */
const restMs = 150;
/**
 * Not awaited either: they fail only after a failed statement, or without a connection. Then the connection is closed,
 * because the commit of a failed transaction would look like a success.
 */
const isSavepoint = /^(savepoint|release) /;
/** The message of the pool for a timeout that the database has not caused. */
const allBusy = 'Error: timeout exceeded when trying to connect';

/** Names statements, so that the server parses and plans each only once per connection. */
function preparing(pool: pg.Pool, watch: ReturnType<typeof closeDeadConnections>): PostgresPool {
  const nameOf = preparedNames();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  let refused: { error: unknown; until: number } | undefined;
  function wrap(client: pg.PoolClient): PostgresPoolClient {
    // The pool listens for errors only while the connection is idle, and an unhandled error ends the process.
    let isLost = false;
    client.on('error', () => {
      isLost = true;
    });
    const { stream } = client.connection;
    const underWay = watch(client);
    /**
     * Joins everything that is sent in one iteration of the event loop: a write to the socket costs as much as the
     * statement.
     */
    const inOnePiece = () => {
      stream.cork();
      process.nextTick(() => stream.uncork());
    };
    /**
     * `begin` is not awaited: it is sent with the first statement, and when it fails, the following statements fail as
     * well.
     */
    let isBeginning = false;
    const query = async (sql: string, parameters: readonly unknown[]) => {
      if (sql === 'begin') {
        isBeginning = true;
        return { command: 'BEGIN', rowCount: null, rows: [] };
      }
      if (isBeginning) run('begin', []).catch(() => stream.destroy());
      isBeginning = false;
      if (!isSavepoint.test(sql)) return run(sql, parameters);
      run(sql, parameters).catch(() => stream.destroy());
      return { command: '', rowCount: null, rows: [] };
    };
    const run = async (sql: string, parameters: readonly unknown[]) => {
      const name = parameters.length > 0 ? nameOf(sql) : undefined;
      inOnePiece();
      underWay.begins();
      try {
        return await client.query({ ...(name && { name }), text: sql, values: parameters.map(bind) });
      } catch (error) {
        const translatedError = translated(error);
        isLost ||= translatedError instanceof Unreachable;
        throw translatedError;
      } finally {
        underWay.ends();
      }
    };
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy) => client.release(destroy || isLost),
    };
  }

  return {
    options: {},
    end: () => pool.end(),
    connect: async () => {
      if (refused && performance.now() < refused.until) throw new Unreachable(refused.error);
      const client = await pool.connect().catch((error: unknown) => {
        const until = performance.now() + restMs * (1 + Math.random());
        if (String(error) !== allBusy) refused = { error, until };
        throw new Unreachable(error);
      });
      refused = undefined;
      const wrapped = clients.get(client) ?? wrap(client);
      clients.set(client, wrapped);
      return wrapped;
    },
  };
}

/** Names the first 500 statements, which the server then prepares once for each connection. */
function preparedNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known || names.size >= 500) return known;
    const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24);
    names.set(sql, name);
    return name;
  };
}

function bind(value: unknown): unknown {
  if (value instanceof ArrayParameter) return arrayBytes(value.type, value.values);
  const isPlain = value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) && !(value instanceof Date);
  return isPlain ? JSON.stringify(value) : value;
}

/** Reads "Key (organization_id, name)=(1, weather) already exists." */
const columnsIn = (detail = ''): string[] => /^Key \(([\w, ]+)\)=/.exec(detail)?.[1]?.split(', ') ?? [];

/** Lost connections, which the client reports only as text. */
const connectionLost = /Connection terminated|ECONNRESET|EPIPE|not queryable/;

const idleInTransaction = '25P03';

/** Error codes: https://www.postgresql.org/docs/15/errcodes-appendix.html */
function translated(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return connectionLost.test(String(error)) ? new Unreachable(error) : error;
  if (error.code?.startsWith('57P') || error.code === idleInTransaction) return new Unreachable(error);
  const detail = `${error.table ?? ''} ${error.constraint ?? ''}`.trim();
  if (error.code === '40P01' || error.code === '40001') return new Collision(error);
  if (error.code === '23505') return new Violation('unique', detail, error, columnsIn(error.detail));
  if (error.code === '23503')
    return new Violation(error.message.startsWith('update or delete') ? 'inUse' : 'missing', detail, error);
  return error;
}
