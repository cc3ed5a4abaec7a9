import type { CompiledQuery } from 'kysely';

/**
 * Writes that succeed or fail as a whole. `run` works through `database.query` and answers false to give up (a guard
 * lost its race); it may run again when another unit of its batch failed.
 */
export interface Unit {
  run: () => Promise<boolean>;
  /** `run` of a transaction has no effect outside of it, so it may run again. */
  isRepeatable?: boolean;
  /** Does what `run` does in the usual case; SQLite writes it with less work, or on another thread. */
  prepared?: PreparedWrites | undefined;
}

/** Statements that need no results of each other: plain values that can be sent to another thread. */
export interface PreparedWrites {
  readonly statements: readonly PreparedStatement[];
  /** Called with the result of each statement when they are on disk. */
  readonly onWritten: (results: readonly PreparedResult[]) => void;
}

export interface PreparedStatement {
  readonly query: Pick<CompiledQuery, 'sql' | 'parameters'>;
  /** When another number of rows is changed, nothing is written, and `run` writes the unit. */
  readonly mustChange?: number;
}

/** The returned rows; of a statement that returns none, the id of the last inserted row. */
export type PreparedResult = readonly Readonly<Record<string, unknown>>[] | number;

/** The writes of all these parts as one; undefined at the first one that cannot be prepared. */
export function prepareTogether(parts: Iterable<PreparedWrites | undefined>): PreparedWrites | undefined {
  const all: PreparedWrites[] = [];
  for (const part of parts) {
    if (!part) return undefined;
    all.push(part);
  }
  return {
    statements: all.flatMap(({ statements }) => statements),
    onWritten: (results) => {
      let from = 0;
      for (const { statements, onWritten } of all) onWritten(results.slice(from, (from += statements.length)));
    },
  };
}
