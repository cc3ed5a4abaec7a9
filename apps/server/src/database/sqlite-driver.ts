import type { DatabaseSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type LimitNode,
  type OffsetNode,
  type QueryResult,
  SqliteQueryCompiler,
} from 'kysely';
import type { Checkpoints } from './checkpoints.ts';
import type { Execute } from './sqlite-statements.ts';
import type { WalFlush } from './wal-flush.ts';

/**
 * SQLite plans a statement again each time a bare parameter of its limit is bound, which takes longer than a page of a
 * list. A sum prevents that.
 */
export class LimitCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(' + 0');
  }

  protected override visitOffset(node: OffsetNode): void {
    super.visitOffset(node);
    this.append(' + 0');
  }
}

/** Waits until all earlier callers have released the writing connection; the returned function releases it. */
export type AcquireWriter = () => Promise<() => void>;

export function writerQueue(): AcquireWriter {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    await before;
    return resolve;
  };
}

interface SqliteConnections {
  writer: DatabaseSync;
  reader: DatabaseSync;
  write: Execute;
  read: Execute;
  walFlush: WalFlush;
  checkpoints: Checkpoints;
  acquireWriter: AcquireWriter;
}

/**
 * Connections of Kysely share the two connections of SQLite; in a transaction one of them holds the writing connection.
 */
interface SharedConnection extends DatabaseConnection {
  releaseWriter?: () => void;
}

/** The driver through which Kysely uses SQLite. */
export function sqliteDriver(connections: SqliteConnections): Driver {
  const { writer, reader, write, walFlush, checkpoints, acquireWriter } = connections;
  const run = (sql: string) => void write(CompiledQuery.raw(sql));
  function releaseWriter(connection: SharedConnection): void {
    connection.releaseWriter?.();
    delete connection.releaseWriter;
  }

  return {
    init: async () => {},
    acquireConnection: async () => {
      const connection: SharedConnection = {
        executeQuery: (query) => execute(connections, connection, query),
        streamQuery: () => {
          throw new Error('Streaming a query is not supported on SQLite.');
        },
      };
      return connection;
    },
    beginTransaction: async (connection: SharedConnection) => {
      connection.releaseWriter = await acquireWriter();
      try {
        run('begin immediate');
      } catch (error) {
        releaseWriter(connection);
        throw error;
      }
    },
    commitTransaction: async (connection: SharedConnection) => {
      run('commit');
      releaseWriter(connection);
      checkpoints.consider();
      await walFlush.flush();
    },
    rollbackTransaction: async (connection: SharedConnection) => {
      try {
        // Some failures, such as a full disk, have rolled back already; after a commit another transaction may have the
        // writer.
        if (connection.releaseWriter && writer.isTransaction) run('rollback');
      } finally {
        releaseWriter(connection);
      }
    },
    savepoint: async (_connection, name) => run(`savepoint ${name}`),
    rollbackToSavepoint: async (_connection, name) => run(`rollback to ${name}`),
    releaseSavepoint: async (_connection, name) => run(`release ${name}`),
    releaseConnection: async () => {},
    destroy: async () => {
      await walFlush.close();
      await checkpoints.close();
      reader.close();
      writer.close();
    },
  };
}

async function execute<R>(
  { write, read, walFlush, checkpoints, acquireWriter }: SqliteConnections,
  connection: SharedConnection,
  query: CompiledQuery,
): Promise<QueryResult<R>> {
  if (connection.releaseWriter) return write<R>(query);
  if (query.query.kind === 'SelectQueryNode') return read<R>(query);
  const release = await acquireWriter();
  let result: QueryResult<R>;
  try {
    result = write<R>(query);
  } finally {
    release();
  }
  checkpoints.consider();
  await walFlush.flush();
  return result;
}
