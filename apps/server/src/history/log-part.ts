import { sql } from 'kysely';
import { errorCondition, ownCondition } from '../event-log/row.ts';
import { compareKeys, type EventKey, keyAfterAll } from './event-key.ts';
import type { HistoryEvent, HistoryPart, Portions } from './part.ts';
import { readingStatement } from './reading-statement.ts';
import type { HistoryStores } from './stores.ts';

type LogEvent = HistoryEvent & { readonly pos: number };
type LinkedEvent = LogEvent & { readonly previous: number | null };
type ChainStep = EventKey & { readonly pos: number; readonly previous: number | null };

const columns = ['pos', 'at', 'seq', 'type', 'payload', 'note'] as const;
const chainSteps = 1000;
/** The first page is small, because most callers read only one. */
const [firstPage, laterPages] = [64, 256];

interface LogRange {
  readonly devEUI: string;
  readonly last: number | null;
  readonly above: number;
}

type Log = Pick<HistoryStores, 'log' | 'kind'>;

/**
 * The events of a device in the event log above a position. Errors, and events that only the history shows, are found
 * by their indexes, all others by the links from each event to the previous one.
 */
export function logPart(log: Log, range: LogRange): HistoryPart {
  const parts = [linkedEvents(log, range), ...indexed.map((index) => indexedEvents(log, range, index))];
  return {
    older: (before) =>
      merged(
        parts.map((part) => part.older(before)),
        (one, other) => one.pos > other.pos,
      ),
    newer: (after) =>
      merged(
        parts.map((part) => part.newer(after)),
        (one, other) => one.pos < other.pos,
      ),
    since: async () => {
      const times: number[] = [];
      for (const part of parts) times.push((await part.since()) ?? Number.POSITIVE_INFINITY);
      const oldest = Math.min(...times);
      return Number.isFinite(oldest) ? oldest : undefined;
    },
  };
}

/** A part of the events in the log, with their positions. */
interface LogEvents {
  older(before: EventKey | undefined): Portions<LogEvent>;
  newer(after: EventKey): Portions<LogEvent>;
  since(): Promise<number | undefined>;
}

/** Linked events from `next` on, the newest first. */
const linkedPage = readingStatement<{ next: number; size: number; above: number }, LinkedEvent>(`
  with recursive chain(pos, previous, nth) as (
    select pos, previous, 1 from event where pos = $next
    union all
    select event.pos, event.previous, nth + 1 from chain
    inner join event on event.pos = chain.previous where nth < $size and event.pos > $above
  )
  select ${columns.map((column) => `event.${column}`).join(', ')}, event.previous
  from chain inner join event on event.pos = chain.pos order by nth`);

/** Positions of linked events from `from` on, the newest first. */
const chainFrom = readingStatement<{ from: number; above: number }, ChainStep>(`
  with recursive chain(pos, at, seq, previous, nth) as (
    select pos, at, seq, previous, 1 from event where pos = $from and pos > $above
    union all
    select event.pos, event.at, event.seq, event.previous, nth + 1 from chain
    inner join event on event.pos = chain.previous where nth < ${chainSteps} and event.pos > $above
  )
  select pos, at, seq, previous from chain order by nth`);

/** The events that are linked to the previous one. */
function linkedEvents({ log: query, kind }: Log, { last, above }: Omit<LogRange, 'devEUI'>): LogEvents {
  async function* chained(): AsyncGenerator<ChainStep> {
    for (let from = last; from !== null && from > above; ) {
      const steps: ChainStep[] = await chainFrom(query, kind, { from, above });
      yield* steps;
      from = steps.at(-1)?.previous ?? null;
    }
  }

  async function* linkedFrom(from: number | null): Portions<LogEvent> {
    let size = firstPage;
    for (let next = from; next !== null && next > above; size = laterPages) {
      const rows: LinkedEvent[] = await linkedPage(query, kind, { next, size, above });
      yield rows;
      next = rows.at(-1)?.previous ?? null;
    }
  }

  async function* linkedBefore(before: EventKey | undefined): Portions<LogEvent> {
    if (!before) return yield* linkedFrom(last);
    for await (const step of chained()) if (compareKeys(step, before) < 0) return yield* linkedFrom(step.pos);
  }

  async function* linkedAfter(after: EventKey): Portions<LogEvent> {
    const positions: number[] = [];
    for await (const step of chained()) {
      if (compareKeys(step, after) <= 0) break;
      positions.push(step.pos);
    }
    positions.reverse();
    for (let at = 0; at < positions.length; at += laterPages) {
      const page = positions.slice(at, at + laterPages);
      yield await query.selectFrom('event').select(columns).where('pos', 'in', page).orderBy('pos').execute();
    }
  }

  return {
    older: linkedBefore,
    newer: linkedAfter,
    since: async () => {
      let oldest: number | undefined;
      for await (const { at } of chained()) oldest = at;
      return oldest;
    },
  };
}

/** What has an index by device. */
const indexed = [errorCondition, ownCondition].map((condition) => ({
  condition: sql.raw<boolean>(condition),
  olderPage: readingStatement<EventKey & { devEUI: string; above: number }, LogEvent>(`
    select ${columns.join(', ')} from event
    where dev_eui = $devEUI and ${condition} and pos > $above and (at, seq) < ($at, $seq)
    order by at desc, pos desc limit ${laterPages}`),
}));

/** The events that an index by device has. */
function indexedEvents(
  { log: query, kind }: Log,
  { devEUI, above }: Omit<LogRange, 'last'>,
  { condition, olderPage }: (typeof indexed)[number],
): LogEvents {
  const events = () =>
    query.selectFrom('event').select(columns).where('dev_eui', '=', devEUI).where(condition).where('pos', '>', above);

  async function* older(before: EventKey = keyAfterAll): Portions<LogEvent> {
    for (let bound = before; ; ) {
      const { at, seq } = bound;
      const rows: LogEvent[] = await olderPage(query, kind, { devEUI, above, at, seq });
      yield rows;
      if (rows.length < laterPages) return;
      bound = rows.at(-1)!;
    }
  }

  async function* newer(after: EventKey): Portions<LogEvent> {
    for (let bound = after; ; ) {
      const { at, seq } = bound;
      const rows: LogEvent[] = await events()
        .where(sql<boolean>`(at, seq) > (${at}, ${seq})`)
        .orderBy('at')
        .orderBy('pos')
        .limit(laterPages)
        .execute();
      yield rows;
      if (rows.length < laterPages) return;
      bound = rows.at(-1)!;
    }
  }

  return {
    older,
    newer,
    since: async () => (await events().clearSelect().select('at').orderBy('at').limit(1).executeTakeFirst())?.at,
  };
}

/** The events of all parts in their order. A portion ends where the next one of a part has to be read. */
async function* merged<T>(parts: readonly Portions<T>[], isFirst: (one: T, other: T) => boolean): Portions<T> {
  /** What is read of each part and not yet returned, the next one last. */
  let open = parts.map((part) => ({ part, events: [] as T[] }));
  for (;;) {
    const ended = new Set<Portions<T>>();
    for (const one of open)
      while (one.events.length === 0 && !ended.has(one.part)) {
        const { done, value } = await one.part.next();
        if (done) ended.add(one.part);
        else one.events = [...(value as Iterable<T>)].reverse();
      }
    open = open.filter(({ part }) => !ended.has(part));
    if (open.length === 0) return;
    const portion: T[] = [];
    while (open.every(({ events }) => events.length > 0)) {
      const next = open.reduce((one, other) => (isFirst(other.events.at(-1)!, one.events.at(-1)!) ? other : one));
      portion.push(next.events.pop()!);
    }
    yield portion;
  }
}
