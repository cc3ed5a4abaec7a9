import type { Clock } from '@hilltop/network-server';
import type { Commits } from './commits.ts';
import type { Cursor } from './cursor.ts';
import type { LoggedEvent } from './event-log.ts';
import { toLogged } from './row.ts';

/** An event as it came to be seen. */
interface Arrival {
  readonly event: LoggedEvent;
  /** Numbers before its own that cannot be seen yet. */
  readonly gaps: readonly number[];
}

/** Where the tail ends: so many have arrived, and what has been read with the last of them. */
interface Newest {
  readonly arrival: number;
  readonly place: Cursor;
}

/**
 * The newest events, in the order in which they came to be seen, read from the table once for all readers. A late row
 * arrives after rows with higher numbers; those of one device arrive in their order.
 */
export interface Tail {
  /** Brings what was committed so far. */
  fill(): Promise<void>;
  newest(): Newest;
  /** What arrived after that many; undefined when the first of them have been let go. */
  after(arrival: number): readonly Arrival[] | undefined;
  /** Something was committed: what was filled before is not the newest. */
  hint(): void;
}

const mostKept = 8192;
const mostKeptBytes = 16_000_000;
const pageSize = 500;
/** What other processes commit is looked for this often. */
const lookEveryMs = 500;
/** A tail that nobody has filled for this long begins again at the end. */
const forgottenMs = 5000;

export async function createTail(commits: Commits, clock: Clock): Promise<Tail> {
  let place = await commits.newest();
  let arrived = 0;
  let kept: Arrival[] = [];
  let keptBytes = 0;
  let hints = 0;
  let hintsSeen = 0;
  let filledAtMs = clock.monotonicMs();
  let underway: Promise<void> | undefined;

  async function begin(): Promise<void> {
    place = await commits.newest();
    kept = [];
    keptBytes = 0;
    // Whoever had read all of the old tail has not read what came since.
    arrived += 1;
  }

  async function read(sinceMs: number): Promise<void> {
    if (sinceMs > forgottenMs) await begin();
    for (let isMore = true; isMore; ) {
      const step = await commits.since(place, pageSize);
      let { pos } = place;
      for (const row of step.rows) {
        const gaps: number[] = [];
        for (const gap of step.place.gaps) if (gap > pos && gap < row.pos) gaps.push(gap);
        kept.push({ event: toLogged(row), gaps });
        keptBytes += row.payload.length;
        pos = Math.max(pos, row.pos);
      }
      arrived += step.rows.length;
      ({ place, isMore } = step);
      letGo();
    }
  }

  /** A quarter at a time: to move the rest costs as much as to drop one. */
  function letGo(): void {
    while (kept.length > mostKept || keptBytes > mostKeptBytes) {
      for (const { event } of kept.splice(0, Math.ceil(kept.length / 4))) keptBytes -= event.json.length;
    }
  }

  async function fill(): Promise<void> {
    // What is under way may have begun before the last commit: then only the next one counts for that.
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
    newest: () => ({ arrival: arrived, place }),
    after: (arrival) => {
      const index = kept.length - (arrived - arrival);
      return index < 0 ? undefined : kept.slice(index);
    },
    hint: () => {
      hints += 1;
    },
  };
}
