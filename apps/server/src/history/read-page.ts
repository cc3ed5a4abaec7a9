import type { HistoryFilter } from '@hilltop/contract';
import { compareKeys, type EventKey, keyAt, streamIDOf } from './event-key.ts';
import type { HistoryEvent, HistoryPart, Portions } from './part.ts';
import type { SelectEvent } from './select.ts';

export interface PageRequest {
  /** At most one of the three. */
  readonly before?: EventKey | undefined;
  readonly after?: EventKey | undefined;
  readonly around?: EventKey | undefined;
  readonly limit: number;
  /** The range of time. */
  readonly filter: Pick<HistoryFilter, 'start' | 'end'>;
}

export interface HistoryPage {
  /** The newest first. */
  readonly events: readonly HistoryEvent[];
  /** Cursors; empty at the end. */
  readonly older: string;
  readonly newer: string;
  /** The time up to which events were searched. */
  readonly searchedTo: number | undefined;
  readonly isComplete: boolean;
  readonly storedSince: number | undefined;
  /** The event of `around` or `after` is no longer stored. */
  readonly isGone: boolean;
}

/** What one call may look at. */
const mostEvents = 20_000;
const mostMs = 300;
/** The clock is read once for this many events, so each call gets that far. */
const clockEvery = 100;

interface Walk {
  readonly found: HistoryEvent[];
  /** The last event that was looked at. */
  readonly last: HistoryEvent | undefined;
  readonly hasMore: boolean;
  readonly isComplete: boolean;
}

/** Takes selected events until there are enough, none is left or the call has looked at too many. */
async function walk(
  portions: Portions,
  { limit, select, isInside }: { limit: number; select: SelectEvent; isInside: (event: HistoryEvent) => boolean },
  now: () => number,
): Promise<Walk> {
  const endsAt = now() + mostMs;
  const found: HistoryEvent[] = [];
  let last: HistoryEvent | undefined;
  let seen = 0;
  for await (const events of portions)
    for (const event of events) {
      if (!isInside(event)) return { found, last, hasMore: false, isComplete: true };
      const isEnough = found.length === limit;
      const isLate = seen > 0 && seen % clockEvery === 0 && now() > endsAt;
      if (isEnough || seen === mostEvents || isLate) return { found, last, hasMore: true, isComplete: isEnough };
      seen += 1;
      last = event;
      const selected = select(event);
      if (selected) found.push(selected);
    }
  return { found, last, hasMore: false, isComplete: true };
}

/** A page of the history of a device, from its parts; the newest part first. */
export async function readPage(
  parts: readonly HistoryPart[],
  request: PageRequest,
  select: SelectEvent,
  now: () => number = () => performance.now(),
): Promise<HistoryPage> {
  const { filter, limit, around } = request;
  const from = filter.start ? Date.parse(filter.start) : Number.NEGATIVE_INFINITY;
  const to = filter.end ? Date.parse(filter.end) : Number.POSITIVE_INFINITY;

  const older = (before: EventKey | undefined, most: number) => {
    const first = Number.isFinite(to) ? earlier(before, keyAt(to + 1)) : before;
    const isInside = ({ at }: EventKey) => at >= from;
    return walk(olderOf(parts, first), { limit: most, select, isInside }, now);
  };
  const newer = (after: EventKey, most: number) => {
    const first = Number.isFinite(from) && compareKeys(after, keyAt(from)) < 0 ? keyAt(from) : after;
    const isInside = ({ at }: EventKey) => at <= to;
    return walk(newerOf(parts, first), { limit: most, select, isInside }, now);
  };

  const storedSince = await sinceOf(parts);
  const anchor = request.after ?? around;
  const isBeforeAll = anchor !== undefined && (storedSince === undefined || anchor.at < storedSince);
  const isGone = isBeforeAll || (around !== undefined && !(await exists(parts, around)));
  if (isGone) return { ...nothing, storedSince, isGone };
  if (around) {
    const before = await older({ ...around, seq: around.seq + 1 }, Math.ceil(limit / 2));
    const after = await newer(around, limit - before.found.length);
    const events = [...after.found.toReversed(), ...before.found];
    const isComplete = before.isComplete && after.isComplete;
    const cursors = { older: cursorAfter(before), newer: cursorAfter(after) };
    return { events, ...cursors, searchedTo: before.last?.at, isComplete, storedSince, isGone };
  }
  if (request.after) {
    const after = await newer(request.after, limit);
    const cursors = { older: streamIDOf(request.after), newer: cursorAfter(after) };
    const { isComplete, last, found } = after;
    return { events: found.toReversed(), ...cursors, searchedTo: last?.at, isComplete, storedSince, isGone };
  }
  const { before } = request;
  const page = await older(before, limit);
  const cursors = { older: cursorAfter(page), newer: before ? streamIDOf(page.found[0] ?? before) : '' };
  return {
    events: page.found,
    ...cursors,
    searchedTo: page.last?.at,
    isComplete: page.isComplete,
    storedSince,
    isGone,
  };
}

async function exists(parts: readonly HistoryPart[], key: EventKey): Promise<boolean> {
  for await (const events of olderOf(parts, { ...key, seq: key.seq + 1 }))
    for (const event of events) return compareKeys(event, key) === 0;
  return false;
}

const nothing = { events: [], older: '', newer: '', searchedTo: undefined, isComplete: true } as const;

const cursorAfter = ({ hasMore, last }: Walk) => (hasMore && last ? streamIDOf(last) : '');

const earlier = (one: EventKey | undefined, other: EventKey) => (one && compareKeys(one, other) < 0 ? one : other);

/** Part by part. What a later part also has, because it was sealed meanwhile, is older than the last event. */
export async function* olderOf(parts: readonly HistoryPart[], before: EventKey | undefined): Portions {
  const bound = { key: before };
  for (const part of parts) for await (const events of part.older(bound.key)) yield following(events, bound);
}

async function* newerOf(parts: readonly HistoryPart[], after: EventKey): Portions {
  const bound = { key: after };
  for (const part of parts.toReversed())
    for await (const events of part.newer(bound.key)) yield following(events, bound);
}

/** The same events; `bound` follows them. */
function* following(events: Iterable<HistoryEvent>, bound: { key: EventKey | undefined }): Generator<HistoryEvent> {
  for (const event of events) {
    bound.key = event;
    yield event;
  }
}

async function sinceOf(parts: readonly HistoryPart[]): Promise<number | undefined> {
  for (const part of parts.toReversed()) {
    const since = await part.since();
    if (since !== undefined) return since;
  }
  return undefined;
}
