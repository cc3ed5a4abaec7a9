import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import type { LoggedEvent, LogPosition, LogReader } from './event-log.ts';
import { columns, type EventRow, toLogged } from './row.ts';
import type { Tail } from './tail.ts';

/** The most late rows in a stored position, which has a limited number of gaps and must drop none of them. */
const maxLate = 500;

/**
 * Follows the tail while that has the next events in memory, else reads the table up to the end of the tail. Both
 * return the same rows: a gap of the tail arrives there later, so its row is skipped when the table is read.
 */
export function createReader(
  { query, tail }: { query: Kysely<Tables>; tail: Tail },
  applicationID: number | undefined,
  after: LogPosition,
): LogReader {
  let { pos, gaps } = parseCursor(after);
  /** How many arrivals of the tail have been read; undefined while the table is read. */
  let arrival: number | undefined;
  let target: ReturnType<Tail['newest']> | undefined;
  /** Whether the gaps are those of the target. */
  let hasTargetGaps = false;
  /** Positions of read rows that were gaps before, until they are completed. */
  let late = new Set<number>();

  const rows = () => {
    const all = query.selectFrom('event').select(columns).orderBy('pos');
    return applicationID === undefined ? all : all.where('application_id', '=', applicationID);
  };

  /** The next rows of the table; none when the target is reached. */
  async function catchUp(limit: number): Promise<EventRow[]> {
    target ??= tail.newest();
    const { cursor } = target;
    while (!hasTargetGaps) {
      const filled = [...gaps].filter((gap) => !cursor.gaps.has(gap)).slice(0, limit);
      if (filled.length === 0) break;
      const found = await rows().where('pos', 'in', filled).execute();
      gaps = gaps.difference(new Set(filled));
      for (const row of found) late.add(row.pos);
      if (found.length > 0) return found;
    }
    // A row that is missing before the old position and was not a gap then was removed or rolled back.
    if (!hasTargetGaps) gaps = gaps.intersection(cursor.gaps).union(above(cursor.gaps, pos));
    hasTargetGaps = true;
    while (pos < cursor.pos) {
      const page = await rows().where('pos', '>', pos).where('pos', '<=', cursor.pos).limit(limit).execute();
      pos = page.length === limit ? page.at(-1)!.pos : cursor.pos;
      const seen = page.filter((row) => !gaps.has(row.pos));
      if (seen.length > 0) return seen;
    }
    pos = cursor.pos;
    arrival = target.arrival;
    target = undefined;
    hasTargetGaps = false;
    return [];
  }

  /** The next events of the tail; undefined when they are not in memory any more. */
  function follow(limit: number): LoggedEvent[] | undefined {
    if (arrival === undefined) return undefined;
    const arrived = tail.after(arrival);
    if (!arrived) {
      arrival = undefined;
      return undefined;
    }
    const events: LoggedEvent[] = [];
    for (const { event, gaps: noticed } of arrived) {
      if (events.length === limit) break;
      if (noticed.length > 0) gaps = gaps.union(new Set(noticed));
      if (gaps.has(event.pos)) {
        gaps = gaps.difference(new Set([event.pos]));
        if (applicationID === undefined || event.applicationID === applicationID) late.add(event.pos);
      }
      pos = Math.max(pos, event.pos);
      arrival += 1;
      if (applicationID === undefined || event.applicationID === applicationID) events.push(event);
    }
    return events;
  }

  return {
    next: async (limit) => {
      for (;;) {
        await tail.fill();
        const events = follow(limit);
        if (events) return events;
        const found = await catchUp(limit);
        if (found.length > 0) return found.map(toLogged);
      }
    },
    position: (open) => {
      const newest = tail.newest();
      // Gaps that the tail has given up need not be stored.
      if (arrival === newest.arrival) gaps = gaps.intersection(newest.cursor.gaps);
      let upTo = pos;
      const undone = new Set<number>();
      for (const event of open)
        if (late.has(event.pos) && undone.size < maxLate) undone.add(event.pos);
        else upTo = Math.min(upTo, event.pos - 1);
      // A late row is a gap until it is completed, so that earlier rows need not be read again.
      late = undone;
      return formatCursor({ pos: upTo, gaps: gaps.union(undone) });
    },
  };
}

function above(gaps: ReadonlySet<number>, pos: number): ReadonlySet<number> {
  return new Set([...gaps].filter((gap) => gap > pos));
}
