import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import type { LoggedEvent, LogPosition, LogReader } from './event-log.ts';
import { columns, type EventRow, toLogged } from './row.ts';
import type { Tail } from './tail.ts';

/** Of late rows that a position names: it has no room for many gaps, and must forget none. */
const mostLate = 500;

/**
 * Follows the tail while it can, and reads the table up to where the tail was when it cannot. Both answer the same rows:
 * what the tail calls a gap arrives there later, and is left out of the table here.
 */
export function createReader(
  { query, tail }: { query: Kysely<Tables>; tail: Tail },
  applicationID: number | undefined,
  after: LogPosition,
): LogReader {
  let { pos, gaps } = parseCursor(after);
  /** How much of the tail has been read; undefined while the table is. */
  let arrival: number | undefined;
  let target: ReturnType<Tail['newest']> | undefined;
  /** Whether the gaps are those of the target. */
  let isFitted = false;
  /** Rows that were gaps, as long as they are not done. */
  let late = new Set<number>();

  const rows = () => {
    const all = query.selectFrom('event').select(columns).orderBy('pos');
    return applicationID === undefined ? all : all.where('application_id', '=', applicationID);
  };

  /** The next rows of the table; none when the target is reached. */
  async function catchUp(limit: number): Promise<EventRow[]> {
    target ??= tail.newest();
    const { place } = target;
    while (!isFitted) {
      const filled = [...gaps].filter((gap) => !place.gaps.has(gap)).slice(0, limit);
      if (filled.length === 0) break;
      const found = await rows().where('pos', 'in', filled).execute();
      gaps = gaps.difference(new Set(filled));
      for (const row of found) late.add(row.pos);
      if (found.length > 0) return found;
    }
    // What is missing before where this one stood, and was no gap then, was cut or undone.
    if (!isFitted) gaps = gaps.intersection(place.gaps).union(above(place.gaps, pos));
    isFitted = true;
    while (pos < place.pos) {
      const page = await rows().where('pos', '>', pos).where('pos', '<=', place.pos).limit(limit).execute();
      pos = page.length === limit ? page.at(-1)!.pos : place.pos;
      const seen = page.filter((row) => !gaps.has(row.pos));
      if (seen.length > 0) return seen;
    }
    pos = place.pos;
    arrival = target.arrival;
    target = undefined;
    isFitted = false;
    return [];
  }

  /** The next of the tail; undefined when it has let go of them. */
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
      // What the tail has given up waiting for, nobody has to.
      if (arrival === newest.arrival) gaps = gaps.intersection(newest.place.gaps);
      let upTo = pos;
      const undone = new Set<number>();
      for (const event of open)
        if (late.has(event.pos) && undone.size < mostLate) undone.add(event.pos);
        else upTo = Math.min(upTo, event.pos - 1);
      // One that came late is a gap until it is done: what was read before it need not be read again.
      late = undone;
      return formatCursor({ pos: upTo, gaps: gaps.union(undone) });
    },
  };
}

function above(gaps: ReadonlySet<number>, pos: number): ReadonlySet<number> {
  return new Set([...gaps].filter((gap) => gap > pos));
}
