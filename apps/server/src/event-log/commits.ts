import type { Cursor } from './cursor.ts';
import type { EventRow } from './row.ts';

/** How appended rows come to be seen, which is all in which the databases differ. */
export interface Commits {
  /** Behind all rows that can be seen now. */
  newest(): Promise<Cursor>;
  /** Rows that came to be seen since `place`, at most so many beside late ones, by number; and where that leads. */
  since(place: Cursor, limit: number): Promise<{ rows: EventRow[]; place: Cursor; isMore: boolean }>;
  /** A row of this process is on disk. */
  committed(row: EventRow): void;
}
