import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import { noApplication } from './event.ts';
import type { LoggedEvent, LogPosition, LogReader } from './event-log.ts';
import { columns, type EventRow, toLogged } from './row.ts';
import type { Tail } from './tail.ts';

/** The most late rows in a stored position, which has a limited number of gaps and must drop none of them. */
const maxLate = 500;

interface ReaderDependencies {
  query: Kysely<Tables>;
  tail: Tail;
}

/**
 * Follows the tail while that has the next events in memory, else reads the table up to the end of the tail. Both
 * return the same rows: a gap of the tail arrives there later, so its row is skipped when the table is read.
 */
export function createReader(
  needs: ReaderDependencies,
  applicationID: number | undefined,
  after: LogPosition,
): LogReader {
  return new TailReader(needs, applicationID, after);
}

class TailReader implements LogReader {
  readonly #query: Kysely<Tables>;
  readonly #tail: Tail;
  readonly #applicationID: number | undefined;
  #pos: number;
  #gaps: ReadonlySet<number>;
  /** How many arrivals of the tail have been read; undefined while the table is read. */
  #arrival: number | undefined;
  #target: ReturnType<Tail['newest']> | undefined;
  /** Whether the gaps are those of the target. */
  #hasTargetGaps = false;
  /** Positions of read rows that were gaps before, until they are completed. */
  #late = new Set<number>();

  constructor({ query, tail }: ReaderDependencies, applicationID: number | undefined, after: LogPosition) {
    this.#query = query;
    this.#tail = tail;
    this.#applicationID = applicationID;
    const { pos, gaps } = parseCursor(after);
    this.#pos = pos;
    this.#gaps = gaps;
  }

  async next(limit: number): Promise<LoggedEvent[]> {
    for (;;) {
      await this.#tail.fill();
      const events = this.#follow(limit);
      if (events) return events;
      const found = await this.#catchUp(limit);
      if (found.length > 0) return found.map(toLogged);
    }
  }

  position(open: Iterable<LoggedEvent>): LogPosition {
    const newest = this.#tail.newest();
    // Gaps that the tail has given up need not be stored.
    if (this.#arrival === newest.arrival) this.#gaps = this.#gaps.intersection(newest.cursor.gaps);
    let upTo = this.#pos;
    const undone = new Set<number>();
    for (const event of open)
      if (this.#late.has(event.pos) && undone.size < maxLate) undone.add(event.pos);
      else upTo = Math.min(upTo, event.pos - 1);
    // A late row is a gap until it is completed, so that earlier rows need not be read again.
    this.#late = undone;
    return formatCursor({ pos: upTo, gaps: this.#gaps.union(undone) });
  }

  #rows() {
    const all = this.#query.selectFrom('event').select(columns).orderBy('pos');
    return this.#applicationID === undefined
      ? all.where('application_id', '<>', noApplication)
      : all.where('application_id', '=', this.#applicationID);
  }

  #reads({ applicationID }: LoggedEvent): boolean {
    return this.#applicationID === undefined ? applicationID !== noApplication : applicationID === this.#applicationID;
  }

  /** The next rows of the table; none when the target is reached. */
  async #catchUp(limit: number): Promise<EventRow[]> {
    this.#target ??= this.#tail.newest();
    const { cursor } = this.#target;
    while (!this.#hasTargetGaps) {
      const filled = [...this.#gaps].filter((gap) => !cursor.gaps.has(gap)).slice(0, limit);
      if (filled.length === 0) break;
      const found = await this.#rows().where('pos', 'in', filled).execute();
      this.#gaps = this.#gaps.difference(new Set(filled));
      for (const row of found) this.#late.add(row.pos);
      if (found.length > 0) return found;
    }
    // A row that is missing before the old position and was not a gap then was removed or rolled back.
    if (!this.#hasTargetGaps) this.#gaps = this.#gaps.intersection(cursor.gaps).union(above(cursor.gaps, this.#pos));
    this.#hasTargetGaps = true;
    while (this.#pos < cursor.pos) {
      const page = await this.#rows()
        .where('pos', '>', this.#pos)
        .where('pos', '<=', cursor.pos)
        .limit(limit)
        .execute();
      this.#pos = page.length === limit ? page.at(-1)!.pos : cursor.pos;
      const seen = page.filter((row) => !this.#gaps.has(row.pos));
      if (seen.length > 0) return seen;
    }
    this.#pos = cursor.pos;
    this.#arrival = this.#target.arrival;
    this.#target = undefined;
    this.#hasTargetGaps = false;
    return [];
  }

  /** The next events of the tail; undefined when they are not in memory any more. */
  #follow(limit: number): LoggedEvent[] | undefined {
    if (this.#arrival === undefined) return undefined;
    const arrived = this.#tail.after(this.#arrival);
    if (!arrived) {
      this.#arrival = undefined;
      return undefined;
    }
    const events: LoggedEvent[] = [];
    for (const { event, gaps: noticed } of arrived) {
      if (events.length === limit) break;
      if (noticed.length > 0) this.#gaps = this.#gaps.union(new Set(noticed));
      if (this.#gaps.has(event.pos)) {
        this.#gaps = this.#gaps.difference(new Set([event.pos]));
        if (this.#reads(event)) this.#late.add(event.pos);
      }
      this.#pos = Math.max(this.#pos, event.pos);
      this.#arrival += 1;
      if (this.#reads(event)) events.push(event);
    }
    return events;
  }
}

function above(gaps: ReadonlySet<number>, pos: number): ReadonlySet<number> {
  return new Set([...gaps].filter((gap) => gap > pos));
}
