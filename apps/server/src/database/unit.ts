import type { CompiledQuery } from 'kysely';

/**
 * Something to be written whole or not at all. `run` does its work through `database.query` and answers false to give up
 * (a guard lost its race), and may be run again when what was written beside it failed; or a list of compiled statements, each with the number of rows it must change.
 */
export type Unit = { run: () => Promise<boolean> } | { statements: readonly GuardedStatement[] };
export interface GuardedStatement {
  query: CompiledQuery;
  /** When given and another number of rows was changed, the whole unit is undone and `commit` answers false. */
  mustChange?: number;
}
