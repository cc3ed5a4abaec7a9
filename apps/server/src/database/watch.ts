import type { Tables } from './tables.ts';

/** A table of which answers are made. */
export interface WatchedTable {
  table: keyof Tables;
  /** Columns of a row, joined by `/`, whose answer it makes untrue; without any, all answers. */
  key?: readonly string[];
  /** The columns of which they are made, where others change as well. */
  columns?: readonly string[];
}

/** From now on `forget` gets the key of each row before and after it changes, null where its source has none. */
export type Watch = (sources: readonly WatchedTable[], forget: (key: string | null) => void) => void;
