import type { Tables } from './tables.ts';

/** A table from which a cached value is read. */
export interface WatchedTable {
  table: keyof Tables;
  /**
   * Columns whose values, joined by `/`, are the key of the cached value that a changed row removes; without any, all.
   */
  key?: readonly string[];
  /** The columns from which cached values are built, when other columns change as well. */
  columns?: readonly string[];
}

/** Calls `onChange` with the key of each row before and after it changes, null where its table has no key. */
export type Watch = (sources: readonly WatchedTable[], onChange: (key: string | null) => void) => void;
