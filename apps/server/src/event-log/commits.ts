import type { Cursor } from './cursor.ts';
import type { EventRow } from './row.ts';

/** How appended rows become visible: the only difference between the two databases for the event log. */
export interface Commits {
  /** Behind all rows that are visible now. */
  newest(): Promise<Cursor>;
  /** Rows that became visible since `cursor`, by position: at most `limit` beside late ones. And the cursor behind them. */
  since(cursor: Cursor, limit: number): Promise<{ rows: EventRow[]; cursor: Cursor; isMore: boolean }>;
  /** To be called once a row of this process is on disk. */
  committed(row: EventRow): void;
}
