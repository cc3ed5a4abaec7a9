import type { CompiledQuery } from 'kysely';

/**
 * Something that is written whole or not at all. `run` works through `database.query` and answers false to give up (a guard
 * lost its race); it may run again when another unit of its batch failed. Or a list of compiled statements: plain values
 * that can be sent to another thread.
 */
export type Unit = { run: () => Promise<boolean> } | { statements: readonly GuardedStatement[] };
export interface GuardedStatement {
  query: CompiledQuery;
  /** When given and another number of rows was changed, the whole unit is undone and `commit` answers false. */
  mustChange?: number;
}
