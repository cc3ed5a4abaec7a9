import { closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CompiledQuery, type Driver, Kysely, type QueryResult, SqliteAdapter, SqliteIntrospector } from 'kysely';
import { checkpoints, mostLogPages } from './checkpoints.ts';
import type { DatabaseEngine, EngineSavepoint, EngineTransaction } from './engine.ts';
import { type LockTiming, lockWait, lockWaitMs } from './lock-wait.ts';
import { type OwnCommits, ownCommits } from './own-commits.ts';
import { writePreparedBatch } from './prepared-batch.ts';
import { openConnection, openWriter } from './sqlite-connection.ts';
import {
  LimitCompiler,
  type SqliteConnections,
  sqliteDriver,
  transactionDriver,
  writerQueue,
  writerTransactions,
} from './sqlite-driver.ts';
import { type Execute, preparedStatements } from './sqlite-statements.ts';
import { SQLiteWriter } from './sqlite-writer.ts';
import type { Tables } from './tables.ts';
import { triggersOf } from './triggers.ts';
import type { PreparedResult } from './unit.ts';
import { walFlush } from './wal-flush.ts';
import type { Watch } from './watch.ts';

interface SqliteOptions {
  /** Whether prepared units are written by a second connection, on another thread. */
  isThreaded?: boolean;
  /** Called when that thread ended by itself. */
  onThreadEnded?: (() => void) | undefined;
  /** The clock of waits for a lock of another process. */
  lockTiming?: LockTiming;
}

/**
 * The embedded database: a file in WAL mode whose commits are on disk before they are answered. One connection writes,
 * one transaction after the other; another reads, so that lists never wait for a writer.
 */
export function sqlite(
  path: string,
  { isThreaded = false, onThreadEnded, lockTiming }: SqliteOptions = {},
): DatabaseEngine {
  const { writer, reader } = openConnections(path);
  const write = preparedStatements(writer);
  const commits = isThreaded ? ownCommits(path, writerQueue()) : undefined;
  const acquireWriter = commits?.acquireWriter ?? writerQueue();
  const connections = {
    writer,
    reader,
    write,
    read: preparedStatements(reader),
    walFlush: walFlush(path),
    checkpoints: checkpoints(path, writer, acquireWriter),
    acquireWriter,
    lockWait: lockWait(lockTiming),
  };
  const batches = commits
    ? batchesOnThread(path, connections, { commits, onThreadEnded })
    : batchesOnMainThread(connections);
  const kysely = kyselyWith(() => sqliteDriver({ ...connections, closeBatches: batches.close }));
  const transactions = writerTransactions(connections);
  const query = kyselyWith(() => transactionDriver(write));
  // The reader drops its pages at each commit. Between transactions the writer sees the same rows and still has its
  // pages.
  const read: Execute = (query) => (writer.isTransaction ? connections.read(query) : write(query));
  return {
    kind: 'sqlite',
    kysely,
    isPipelined: false,
    hasOtherWriters: false,
    begin: async () => {
      const { commit, rollback } = await transactions.begin();
      return {
        query,
        execute: write,
        savepoint: () => sqliteSavepoint(query, write),
        isOpen: () => writer.isTransaction,
        commit,
        rollback,
      } satisfies EngineTransaction;
    },
    execute: (query) => (query.query.kind === 'SelectQueryNode' ? read(query) : kysely.executeQuery(query)),
    executeUnflushed: async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
      const release = await acquireWriter();
      let result: QueryResult<Row> | undefined;
      try {
        result = await connections.lockWait.whenUnlocked(() => write<Row>(query));
      } finally {
        release(result !== undefined);
      }
      return result;
    },
    isSettled: () => !writer.isTransaction,
    writePrepared: batches.writePrepared,
    writtenElsewhere: batches.writtenElsewhere,
    watch: batches.watch,
    keepSavepointsInMemory: () => writer.exec('pragma temp_store = memory'),
    releasePageCache: () => {
      for (const db of [writer, reader]) db.exec('pragma shrink_memory');
      batches.shrink();
    },
  };
}

function kyselyWith(createDriver: () => Driver): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () =>
        Object.defineProperties(new SqliteAdapter(), {
          supportsMultipleConnections: { value: true },
          supportsTransactionalDdl: { value: true },
        }),
      createDriver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new LimitCompiler(),
    },
  });
}

function openConnections(path: string): { writer: DatabaseSync; reader: DatabaseSync } {
  // SQLite would create a file that others can read; its companion files get the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const writer = openWriter(path);
  const reader = openConnection(path, { readOnly: true });
  writer.exec(`pragma busy_timeout = ${lockWaitMs}`);
  return { writer, reader };
}

const savepointStatements = {
  begin: CompiledQuery.raw('savepoint nested'),
  release: CompiledQuery.raw('release nested'),
  rollback: CompiledQuery.raw('rollback to nested'),
};

/** Bypasses Kysely, which takes longer than SQLite does. */
function sqliteSavepoint(query: Kysely<Tables>, write: Execute): EngineSavepoint {
  write(savepointStatements.begin);
  return {
    query,
    execute: write,
    savepoint: () => sqliteSavepoint(query, write),
    release: () => write(savepointStatements.release),
    rollback: () => write(savepointStatements.rollback),
  };
}

/** Uses triggers of the writing connection, which do not run for other processes. */
function watchByTriggers(writer: DatabaseSync): Watch {
  let watches = 0;
  return (sources, onChange) => {
    const reporter = `report_${watches++}`;
    writer.function(reporter, (key) => {
      onChange(key as string | null);
      return null;
    });
    for (const source of sources) writer.exec(triggersOf(reporter, source));
  };
}

/** How batches of prepared writes are written. */
interface BatchWrites extends Required<Pick<DatabaseEngine, 'writePrepared' | 'watch' | 'writtenElsewhere'>> {
  shrink: () => void;
  close: () => Promise<void>;
}

type BatchConnections = Pick<
  SqliteConnections,
  'writer' | 'write' | 'walFlush' | 'checkpoints' | 'acquireWriter' | 'lockWait'
>;

function batchesOnMainThread(connections: BatchConnections): BatchWrites {
  const { writer, write } = connections;
  const version = writer.prepare('pragma data_version');
  return {
    writePrepared: (statements) =>
      writeBatch(connections, () => writePreparedBatch({ db: writer, execute: write }, statements)),
    watch: watchByTriggers(writer),
    writtenElsewhere: () => (version.get() as { data_version: number }).data_version,
    shrink: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** A second connection writes on a thread, while `connections` do not. */
function batchesOnThread(
  path: string,
  connections: BatchConnections,
  { commits, onThreadEnded }: { commits: OwnCommits } & Pick<SqliteOptions, 'onThreadEnded'>,
): BatchWrites {
  const onMainThread = batchesOnMainThread(connections);
  const thread = new SQLiteWriter(path, { mostLogPages, onEnded: onThreadEnded });
  return {
    writePrepared: (statements) =>
      thread.isReady()
        ? writeBatch(connections, () => thread.write(statements))
        : onMainThread.writePrepared(statements),
    watch: watchBoth(onMainThread.watch, thread.watch),
    writtenElsewhere: commits.ofOthers,
    shrink: () => thread.releaseMemory(),
    close: async () => {
      await thread.close();
      commits.close();
    },
  };
}

type BatchResults = PreparedResult[] | undefined;

/**
 * Calls `write` with the writer, and resolves when its batch is on disk. Undefined while another process has the lock, for
 * which the transaction that writes the units one by one waits.
 */
async function writeBatch(
  { acquireWriter, checkpoints, walFlush, lockWait }: BatchConnections,
  write: () => BatchResults | Promise<BatchResults>,
): Promise<BatchResults> {
  const release = await acquireWriter();
  let results: BatchResults;
  try {
    results = lockWait.isHeldElsewhere() ? undefined : await write();
  } finally {
    release(results !== undefined);
  }
  if (!results) return undefined;
  checkpoints.consider();
  await walFlush.flush();
  return results;
}

const watchBoth =
  (first: Watch, second: Watch): Watch =>
  (sources, onChange) => {
    first(sources, onChange);
    second(sources, onChange);
  };
