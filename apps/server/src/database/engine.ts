import type { CompiledQuery, ControlledTransaction, Kysely, QueryResult } from 'kysely';
import type { Tables } from './tables.ts';
import type { Watch } from './watch.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** A result is a promise only where the engine has to wait for one: SQLite answers at once. */
export type Result<Row> = QueryResult<Row> | Promise<QueryResult<Row>>;

/**
 * One database product: `sqlite.ts` or `postgres.ts`. Everything above it is the same for both. Of a statement an engine
 * reads only `sql`, `parameters` and `query.kind`, and answers rows: values that can be sent to a worker thread.
 */
export interface DatabaseEngine {
  readonly kind: DatabaseKind;
  readonly kysely: Kysely<Tables>;
  /**
   * Several transactions are written at once, and the statements of one leave without waiting for each other and run in
   * the order in which they left.
   */
  readonly isPipelined: boolean;
  /** Other processes write to it as well. */
  readonly hasOtherWriters: boolean;
  begin: () => Promise<EngineTransaction>;
  /** Runs a statement outside of any transaction. */
  execute: <Row>(statement: CompiledQuery<Row>) => Result<Row>;
  /** The same for a change that a power cut may undo, without waiting for the disk where the engine can. */
  executeUnflushed: <Row>(statement: CompiledQuery<Row>) => Result<Row>;
  /** Whether reading now finds everything that was committed and nothing else. */
  isSettled: () => boolean;
  /** A number that changes when another process writes; undefined where only reading again finds that out. */
  writtenElsewhere?: () => number;
  /** Reports every row that this process writes, where the engine can. To be called outside of transactions. */
  watch?: Watch;
  /** Frees memory that caches pages of files, where the engine caches any. */
  forgetPages?: () => void;
}

/** A transaction of the engine, or a savepoint in one. */
export interface EngineTransaction {
  readonly query: KyselyTransaction;
  execute: <Row>(statement: CompiledQuery<Row>) => Result<Row>;
  savepoint: () => EngineSavepoint | Promise<EngineSavepoint>;
  /** Whether the engine still has it: a full disk makes SQLite roll back by itself. */
  isOpen: () => boolean;
  commit: () => Promise<unknown>;
  rollback: () => Promise<unknown>;
}

export interface EngineSavepoint extends Pick<EngineTransaction, 'query' | 'execute' | 'savepoint'> {
  release: () => unknown;
  rollback: () => unknown;
}

export type KyselyTransaction = ControlledTransaction<Tables, string[]>;
