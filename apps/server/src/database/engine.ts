import type { CompiledQuery, ControlledTransaction, Kysely, QueryResult } from 'kysely';
import type { Tables } from './tables.ts';
import type { PreparedResult, PreparedStatement } from './unit.ts';
import type { Watch } from './watch.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** A result is a promise only where the engine has to wait: SQLite answers at once. */
export type Result<Row> = QueryResult<Row> | Promise<QueryResult<Row>>;

/**
 * One database product: `sqlite.ts` or `postgres.ts`. Everything above it is the same for both. An engine reads only
 * `sql`, `parameters` and `query.kind` of a statement, and answers rows: values that can be sent to a worker thread.
 */
export interface DatabaseEngine {
  readonly kind: DatabaseKind;
  readonly kysely: Kysely<Tables>;
  /**
   * Several transactions are written at once; the statements of one are sent without waiting for each other, and run in
   * the order in which they were sent.
   */
  readonly isPipelined: boolean;
  /** Other processes write to it as well. */
  readonly hasOtherWriters: boolean;
  begin: () => Promise<EngineTransaction>;
  /** Runs a statement outside of any transaction. */
  execute: <Row>(statement: CompiledQuery<Row>) => Result<Row>;
  /** Runs a change that a power failure may undo, without waiting for the disk if the engine supports that. */
  executeUnflushed: <Row>(statement: CompiledQuery<Row>) => Result<Row>;
  /**
   * Writes statements in one transaction; resolves with their results when they are on disk. Undefined: nothing was
   * written, because a statement failed or changed another number of rows than expected. Rejects when that is unknown.
   */
  writePrepared?: (statements: readonly PreparedStatement[]) => Promise<PreparedResult[] | undefined>;
  /** Whether a read now returns exactly the committed rows. */
  isSettled: () => boolean;
  /** A number that changes when another process writes; undefined where that cannot be detected without reading. */
  writtenElsewhere?: () => number;
  /** Reports every row that this process writes, if the engine can. Call it outside of transactions. */
  watch?: Watch;
  /**
   * Call it after the migrations, and before `watch`: in a file, the pages that a savepoint changes take most of the
   * writes of a transaction with many savepoints. A migration sorts the index of a large table, which needs files.
   */
  keepSavepointsInMemory?: () => void;
  /** Frees the memory of cached file pages, if the engine has any. */
  releasePageCache?: () => void;
}

/** A transaction of the engine, or a savepoint in one. */
export interface EngineTransaction {
  readonly query: Kysely<Tables>;
  execute: <Row>(statement: CompiledQuery<Row>) => Result<Row>;
  savepoint: () => EngineSavepoint | Promise<EngineSavepoint>;
  /** Whether the engine still has it: on a full disk SQLite rolls back by itself. */
  isOpen: () => boolean;
  commit: () => Promise<unknown>;
  rollback: () => Promise<unknown>;
}

export interface EngineSavepoint extends Pick<EngineTransaction, 'query' | 'execute' | 'savepoint'> {
  release: () => unknown;
  rollback: () => unknown;
}

export type KyselyTransaction = ControlledTransaction<Tables, string[]>;
