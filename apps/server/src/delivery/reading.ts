import type { LoggedEvent, LogPosition, LogReader } from '../event-log/event-log.ts';

/** Reads on, and knows at any moment what may be stored. */
export interface Reading {
  /** Has `take` take what comes next, in the same breath; answers how many there were. */
  next(limit: number, take: (events: readonly LoggedEvent[]) => void): Promise<number>;
  /** What to store now: never behind what a read has found and nobody has taken yet. */
  position(): LogPosition;
  /** Then the position is of before the read, whatever is done meanwhile. */
  isUnderway(): boolean;
}

/** `open` are the events that were taken and are not done. One read at a time. */
export function createReading(reader: LogReader, open: () => Iterable<LoggedEvent>): Reading {
  let before: LogPosition | undefined;
  return {
    next: async (limit, take) => {
      before = reader.position(open());
      try {
        const events = await reader.next(limit);
        take(events);
        return events.length;
      } finally {
        before = undefined;
      }
    },
    position: () => before ?? reader.position(open()),
    isUnderway: () => before !== undefined,
  };
}
