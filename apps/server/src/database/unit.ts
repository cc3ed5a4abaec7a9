import type { CompiledQuery } from 'kysely';

/**
 * Writes that succeed or fail as a whole. `run` works through `database.query` and answers false to give up (a guard
 * lost its race); it may run again when another unit of its batch failed. Or a list of compiled statements: plain
 * values that can be sent to another thread.
 */
export type Unit = { run: () => Promise<boolean> } | { statements: readonly GuardedStatement[] };
export interface GuardedStatement {
  query: CompiledQuery;
  /** If set and another number of rows was changed, the whole unit is rolled back and `commit` answers false. */
  mustChange?: number;
}
