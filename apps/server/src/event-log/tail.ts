import type { Clock } from '@hilltop/network-server';
import type { Commits } from './commits.ts';
import type { Cursor } from './cursor.ts';
import type { LoggedEvent } from './event-log.ts';
import { toLogged } from './row.ts';

/** An event that became visible. */
interface Arrival {
  readonly event: LoggedEvent;
  /** Positions before its own whose rows are not visible yet. */
  readonly gaps: readonly number[];
}

/** The end of the tail: the number of events that have arrived so far, and the cursor after the last of them. */
interface Newest {
  readonly arrival: number;
  readonly cursor: Cursor;
}

/**
 * The newest events in memory, in the order in which they became visible, read from the table once for all readers. A late
 * row arrives after rows with higher positions; events of one device arrive in their order.
 */
export interface Tail {
  /** Reads the rows that were committed so far. */
  fill(): Promise<void>;
  newest(): Newest;
  /** The events that arrived after that number; undefined when the first of them are not in memory any more. */
  after(arrival: number): readonly Arrival[] | undefined;
  /** Call it after a commit, so that the next `fill` reads. */
  hint(): void;
}

const maxEvents = 8192;
const maxBytes = 16_000_000;
const pageSize = 500;
/** How often to look for commits of other processes. */
const lookEveryMs = 500;
/** A tail that no reader has filled for this long starts again at the end. */
const unusedMs = 5000;

export async function createTail(commits: Commits, clock: Clock): Promise<Tail> {
  let cursor = await commits.newest();
  let arrived = 0;
  let arrivals: Arrival[] = [];
  let bytes = 0;
  let hints = 0;
  let hintsSeen = 0;
  let filledAtMs = clock.monotonicMs();
  let underway: Promise<void> | undefined;

  async function restart(): Promise<void> {
    cursor = await commits.newest();
    arrivals = [];
    bytes = 0;
    // A reader that had read all of the old tail has not read later commits.
    arrived += 1;
  }

  async function read(sinceMs: number): Promise<void> {
    if (sinceMs > unusedMs) await restart();
    for (let isMore = true; isMore; ) {
      const step = await commits.since(cursor, pageSize);
      let { pos } = cursor;
      for (const row of step.rows) {
        const gaps: number[] = [];
        for (const gap of step.cursor.gaps) if (gap > pos && gap < row.pos) gaps.push(gap);
        arrivals.push({ event: toLogged(row), gaps });
        bytes += row.payload.length;
        pos = Math.max(pos, row.pos);
      }
      arrived += step.rows.length;
      ({ cursor, isMore } = step);
      trim();
    }
  }

  /** Removes a quarter at a time, because moving the other events costs as much as removing one. */
  function trim(): void {
    while (arrivals.length > maxEvents || bytes > maxBytes) {
      for (const { event } of arrivals.splice(0, Math.ceil(arrivals.length / 4))) bytes -= event.json.length;
    }
  }

  async function fill(): Promise<void> {
    // A read under way may have begun before the last commit: then only the next one finds it.
    while (underway && hintsSeen !== hints) await underway;
    if (underway) return underway;
    const sinceMs = clock.monotonicMs() - filledAtMs;
    if (hintsSeen === hints && sinceMs < lookEveryMs) return;
    hintsSeen = hints;
    filledAtMs += sinceMs;
    underway = read(sinceMs)
      .catch((error: unknown) => {
        hintsSeen = -1;
        throw error;
      })
      .finally(() => {
        underway = undefined;
      });
    return underway;
  }

  return {
    fill,
    newest: () => ({ arrival: arrived, cursor }),
    after: (arrival) => {
      const index = arrivals.length - (arrived - arrival);
      return index < 0 ? undefined : arrivals.slice(index);
    },
    hint: () => {
      hints += 1;
    },
  };
}
