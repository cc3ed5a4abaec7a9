import type { Cursor } from './cursor.ts';
import type { EventRow } from './row.ts';

/** How appended rows become visible: the only difference between the two databases for the event log. */
export interface Commits {
  /** The cursor after all visible rows. */
  newest(): Promise<Cursor>;
  /**
   * Rows that became visible since `cursor`, by position: at most `limit`, plus late ones; and the cursor after them.
   */
  since(cursor: Cursor, limit: number): Promise<{ rows: EventRow[]; cursor: Cursor; isMore: boolean }>;
  /** Call it when a row of this process is on disk. */
  committed(row: EventRow): void;
}
