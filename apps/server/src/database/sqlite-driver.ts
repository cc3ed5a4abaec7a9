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
import type { LockWait } from './lock-wait.ts';
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

/**
 * Waits until all earlier callers have released the writing connection. The returned function releases it: with true after
 * a commit.
 */
export type AcquireWriter = () => Promise<(isCommitted?: boolean) => void>;

export function writerQueue(): AcquireWriter {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    await before;
    return () => resolve();
  };
}

export interface SqliteConnections {
  writer: DatabaseSync;
  reader: DatabaseSync;
  write: Execute;
  read: Execute;
  walFlush: WalFlush;
  checkpoints: Checkpoints;
  acquireWriter: AcquireWriter;
  lockWait: LockWait;
}

/**
 * Connections of Kysely share the two connections of SQLite; in a transaction one of them holds the writing connection.
 */
interface SharedConnection extends DatabaseConnection {
  transaction?: WriterTransaction;
}

/** An open transaction of the writing connection. */
interface WriterTransaction {
  commit: () => Promise<void>;
  rollback: () => Promise<void>;
}

const boundaries = {
  begin: CompiledQuery.raw('begin immediate'),
  commit: CompiledQuery.raw('commit'),
  rollback: CompiledQuery.raw('rollback'),
};

/** Transactions of the writing connection, one after the other, without Kysely, which takes longer than SQLite does. */
export function writerTransactions(connections: SqliteConnections): { begin: () => Promise<WriterTransaction> } {
  const { writer, write, walFlush, checkpoints, acquireWriter, lockWait } = connections;
  return {
    begin: async () => {
      const release = await acquireWriter();
      let isHeld = true;
      const releaseOnce = (isCommitted: boolean) => {
        isHeld = false;
        release(isCommitted);
      };
      try {
        await lockWait.whenUnlocked(() => write(boundaries.begin));
      } catch (error) {
        releaseOnce(false);
        throw error;
      }
      return {
        commit: async () => {
          write(boundaries.commit);
          releaseOnce(true);
          checkpoints.consider();
          await walFlush.flush();
        },
        rollback: async () => {
          // After a commit another transaction may have the writer.
          if (!isHeld) return;
          try {
            // Some failures, such as a full disk, have rolled back already.
            if (writer.isTransaction) write(boundaries.rollback);
          } finally {
            releaseOnce(false);
          }
        },
      };
    },
  };
}

/** Lets Kysely run queries in the transaction that holds the writing connection. */
export function transactionDriver(write: Execute): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async (query) => write(query),
    streamQuery: noStreams,
  };
  const unused = () => Promise.reject(new Error('The transaction is begun and ended by its owner.'));
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: unused,
    commitTransaction: unused,
    rollbackTransaction: unused,
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}

function noStreams(): never {
  throw new Error('Streaming a query is not supported on SQLite.');
}

/** The driver through which Kysely uses SQLite. */
export function sqliteDriver(connections: SqliteConnections & { closeBatches: () => Promise<void> }): Driver {
  const { writer, reader, write, walFlush, checkpoints, closeBatches } = connections;
  const run = (sql: string) => void write(CompiledQuery.raw(sql));
  const transactions = writerTransactions(connections);

  return {
    init: async () => {},
    acquireConnection: async () => {
      const connection: SharedConnection = {
        executeQuery: (query) => execute(connections, connection, query),
        streamQuery: noStreams,
      };
      return connection;
    },
    beginTransaction: async (connection: SharedConnection) => {
      connection.transaction = await transactions.begin();
    },
    commitTransaction: async (connection: SharedConnection) => {
      await connection.transaction?.commit();
      delete connection.transaction;
    },
    rollbackTransaction: async (connection: SharedConnection) => {
      await connection.transaction?.rollback();
      delete connection.transaction;
    },
    savepoint: async (_connection, name) => run(`savepoint ${name}`),
    rollbackToSavepoint: async (_connection, name) => run(`rollback to ${name}`),
    releaseSavepoint: async (_connection, name) => run(`release ${name}`),
    releaseConnection: async () => {},
    destroy: async () => {
      await closeBatches();
      await walFlush.close();
      await checkpoints.close();
      reader.close();
      writer.close();
    },
  };
}

async function execute<R>(
  { write, read, walFlush, checkpoints, acquireWriter, lockWait }: SqliteConnections,
  connection: SharedConnection,
  query: CompiledQuery,
): Promise<QueryResult<R>> {
  if (connection.transaction) return write<R>(query);
  if (query.query.kind === 'SelectQueryNode') return read<R>(query);
  const release = await acquireWriter();
  let result: QueryResult<R> | undefined;
  try {
    result = await lockWait.whenUnlocked(() => write<R>(query));
  } finally {
    release(result !== undefined);
  }
  checkpoints.consider();
  await walFlush.flush();
  return result;
}
