import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { BatchArguments, BatchStatement } from './batch-statement.ts';
import type { DatabaseEngine, DatabaseKind, Result } from './engine.ts';
import { type Limits, usualLimits } from './group-commit.ts';
import { insertTogether, readTogether } from './statement-batches.ts';
import type { Tables } from './tables.ts';
import { Transactions } from './transactions.ts';
import type { Unit } from './unit.ts';
import type { Watch } from './watch.ts';
import { WriteQueue } from './write-queue.ts';

export type { DatabaseEngine, DatabaseKind } from './engine.ts';

/** The access to all stored data. A resolved write is durable: SQLite has flushed its log, PostgreSQL has committed. */
export interface Database {
  readonly kind: DatabaseKind;
  /** The transaction of the current async context, else the database itself. */
  readonly query: Kysely<Tables>;
  /** Identifies that transaction with all its savepoints; undefined outside of any. */
  readonly transactionKey: object | undefined;
  /**
   * Runs a compiled statement through `query` with the least overhead: for statements that run thousands of times a
   * second.
   */
  execute: <Row>(compiled: CompiledQuery<Row>) => Result<Row>;
  /**
   * Runs a change that a power failure may undo. It does not wait for the disk if the engine supports that, and is on
   * disk at the latest with the next change that waits.
   */
  executeUnflushed: <Row>(compiled: CompiledQuery<Row>) => Result<Row>;
  /**
   * Runs a statement once for all callers of about the same time; undefined where each caller has to run it alone. Only
   * PostgreSQL batches statements, because each costs a round trip to the server.
   */
  batch: <Row>(statement: BatchStatement, args: BatchArguments) => Promise<QueryResult<Row>> | undefined;
  /**
   * Inserts these rows, all or none, in one statement with rows of other callers. The statement is a separate
   * transaction and waits for none. Undefined where rows have to be inserted through `commit`.
   */
  insertBatch: <Row>(statement: BatchStatement, rows: readonly BatchArguments[]) => Promise<Row[]> | undefined;
  /** Whether statements of a transaction that do not need each other's results may run concurrently. */
  readonly isPipelined: boolean;
  /**
   * Runs `work` in a transaction that everything awaited inside shares through `query`. Inside another transaction it
   * becomes a savepoint. An exception rolls it back and is passed on; a transaction that collided with another one runs
   * again. Never wait inside for a codec, a socket or a user: SQLite has one writer.
   */
  transaction: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Like `transaction`, for work that has no effect outside of it: SQLite writes it without savepoints, and runs it again
   * with them when something in the same commit fails.
   */
  repeatableTransaction: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Like `transaction`, for work that does not depend on concurrent writes of the same kind, except for constraints of
   * the schema. On PostgreSQL such work that arrives at about the same time is one transaction, whose batched
   * statements take one round trip for all; when one fails, both halves run again separately, until the failing one is
   * alone. On SQLite all run again, with savepoints.
   */
  sharedTransaction: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Writes one unit. Units that arrive together share one SQL transaction and one disk flush, yet each succeeds or fails
   * alone. Resolves when it is on disk: true, or false when the unit gave up. Inside `transaction` it joins that one.
   * With `maxWaitMs` it may wait that long for other units, so that few units a second share transactions as well.
   */
  commit: (unit: Unit, options?: { maxWaitMs?: number }) => Promise<boolean>;
  /**
   * Like `commit`, for a unit that takes long: where several transactions are written at once it gets its own, and the
   * units of a batch do not wait for it.
   */
  commitSeparately: (unit: Unit) => Promise<boolean>;
  /**
   * Calls `action` when the current transaction is on disk, never when it is rolled back; at once outside a
   * transaction. An exception of it affects nothing else: the transaction stays written.
   */
  afterCommit: (action: () => void) => void;
  /**
   * A number that stays the same while only this process writes; undefined where changes of others cannot be detected
   * without reading. While it stays the same, cached values are valid.
   */
  writtenElsewhere: () => number | undefined;
  /** Reports every row that this process writes; undefined where the engine cannot. Call it outside of transactions. */
  readonly watch: Watch | undefined;
  /** Whether a read now returns exactly the committed rows. */
  isSettled: () => boolean;
  /** Frees memory that only caches file pages. Call it when there is little to do. */
  releasePageCache: () => void;
  /** Fails when the database cannot answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
}

/** A statement costs as much on several connections as on one, however many rows it has. */
const leastBetweenStatementsMs = 5;
/**
 * Separately inserted rows are received copies, whose gateways wait up to 100 ms for the acknowledgement: from some 130
 * rows a second on they gather for longer.
 */
const insertLimits: Limits = { ...usualLimits, leastApartMs: 15, mostApartMs: 15 };
/**
 * With several processes, each receives a part of all rows, for which it runs as many statements at the same cost: from
 * some 250 rows a second on, separately inserted rows gather for twice as long.
 */
const limitsWithOtherWriters: Limits = {
  ...usualLimits,
  leastApartMs: leastBetweenStatementsMs,
  mostApartMs: 10,
  apartPerUnitMs: 4,
};

/**
 * `onAfterCommitError` receives exceptions of actions after a commit. `onBatchSplit` reports why units that arrived
 * together are now written one by one, each with its own statements and flush.
 */
export function createDatabase(
  engine: DatabaseEngine,
  onAfterCommitError: (error: unknown) => void,
  onBatchSplit: (error: unknown, units: number) => void = () => undefined,
): Database {
  const { kind, kysely, isPipelined } = engine;
  const transactions = new Transactions(engine, onAfterCommitError);
  const limits = isPipelined ? { ...usualLimits, leastApartMs: leastBetweenStatementsMs } : usualLimits;
  const writes = new WriteQueue({ engine, transactions, limits, onBatchSplit });
  const run = (statement: CompiledQuery<Record<string, unknown>>) => kysely.executeQuery(statement);
  const onOneConnection = (work: (execute: typeof run) => Promise<void>) =>
    kysely.getExecutor().provideConnection((connection) => work((statement) => connection.executeQuery(statement)));
  const reading = isPipelined ? readTogether(run, onOneConnection) : undefined;
  const inserting = isPipelined
    ? insertTogether(run, onBatchSplit, engine.hasOtherWriters ? limitsWithOtherWriters : insertLimits)
    : undefined;

  return {
    kind,
    get query() {
      return transactions.query;
    },
    get transactionKey() {
      return transactions.key;
    },
    execute: (compiled) => transactions.execute(compiled),
    executeUnflushed: (compiled) => transactions.executeUnflushed(compiled),
    batch: <Row>(statement: BatchStatement, args: BatchArguments) => {
      const outside = statement.isReading ? reading : undefined;
      const batches = transactions.isInside ? transactions.statementBatches : outside;
      return batches?.run(statement, args) as Promise<QueryResult<Row>> | undefined;
    },
    insertBatch: <Row>(statement: BatchStatement, rows: readonly BatchArguments[]) =>
      transactions.isInside ? undefined : (inserting?.run(statement, rows) as Promise<Row[]> | undefined),
    isPipelined,
    transaction: (work) => writes.transaction(work),
    repeatableTransaction: (work) => writes.transaction(work, { isRepeatable: true }),
    sharedTransaction: (work) => writes.transaction(work, { isShared: true }),
    commit: (unit, options) => writes.commit(unit, options),
    commitSeparately: (unit) => writes.commit(unit, { isSeparate: true }),
    afterCommit: (action) => transactions.afterCommit(action),
    writtenElsewhere: () => engine.writtenElsewhere?.(),
    watch: engine.watch,
    isSettled: () => engine.isSettled(),
    releasePageCache: () => engine.releasePageCache?.(),
    ping: async () => {
      await kysely.selectNoFrom((eb) => eb.lit(1).as('one')).execute();
    },
    close: async () => {
      await Promise.all([writes.idle(), inserting?.idle()]);
      await kysely.destroy();
    },
  };
}
