import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { isError, isOwn } from '../event-log/row.ts';
import { compareKeys, type EventKey } from './event-key.ts';
import type { HistoryEvent, HistoryPart } from './part.ts';

type LogEvent = HistoryEvent & { readonly pos: number };
type ChainStep = EventKey & { readonly pos: number; readonly previous: number | null };

const columns = ['pos', 'at', 'seq', 'type', 'payload', 'note'] as const;
const chainSteps = 1000;
/** The first page is small, because most callers read only one. */
const [firstPage, laterPages] = [64, 256];

/** What has an index by device. */
const indexes = [isError, isOwn];
type Condition = (typeof indexes)[number];

interface LogRange {
  readonly devEUI: string;
  readonly last: number | null;
  readonly above: number;
}

/**
 * The events of a device in the event log above a position. Errors, and events that only the history shows, are found
 * by their indexes, all others by the links from each event to the previous one.
 */
export function logPart(query: Kysely<Tables>, range: LogRange): HistoryPart {
  const parts = [linkedEvents(query, range), ...indexes.map((condition) => indexedEvents(query, range, condition))];
  return {
    older: (before) =>
      parts
        .map(({ older }) => older(before))
        .reduce((events, others) => merged(events, others, (one, other) => one.pos > other.pos)),
    newer: (after) =>
      parts
        .map(({ newer }) => newer(after))
        .reduce((events, others) => merged(events, others, (one, other) => one.pos < other.pos)),
    since: async () => {
      const times: number[] = [];
      for (const { since } of parts) times.push((await since()) ?? Number.POSITIVE_INFINITY);
      const oldest = Math.min(...times);
      return Number.isFinite(oldest) ? oldest : undefined;
    },
  };
}

/** A part of the events in the log, with their positions. */
interface LogEvents {
  older(before: EventKey | undefined): AsyncGenerator<LogEvent>;
  newer(after: EventKey): AsyncGenerator<LogEvent>;
  since(): Promise<number | undefined>;
}

/** The events that are linked to the previous one. */
function linkedEvents(query: Kysely<Tables>, { last, above }: Omit<LogRange, 'devEUI'>): LogEvents {
  /** Positions of linked events from `from` on, the newest first. */
  async function chain(from: number): Promise<ChainStep[]> {
    const { rows } = await sql<ChainStep>`
      with recursive chain(pos, at, seq, previous, nth) as (
        select pos, at, seq, previous, 1 from event where pos = ${from} and pos > ${above}
        union all
        select event.pos, event.at, event.seq, event.previous, nth + 1 from chain
        inner join event on event.pos = chain.previous where nth < ${chainSteps} and event.pos > ${above}
      )
      select pos, at, seq, previous from chain order by nth`.execute(query);
    return rows;
  }

  async function* chained(): AsyncGenerator<ChainStep> {
    for (let from = last; from !== null && from > above; ) {
      const steps = await chain(from);
      yield* steps;
      from = steps.at(-1)?.previous ?? null;
    }
  }

  /** Linked events from `from` on, the newest first. */
  async function* linkedFrom(from: number | null): AsyncGenerator<LogEvent> {
    let size = firstPage;
    for (let next = from; next !== null && next > above; size = laterPages) {
      const { rows }: { rows: (LogEvent & { previous: number | null })[] } = await sql<
        LogEvent & { previous: number | null }
      >`
        with recursive chain(pos, previous, nth) as (
          select pos, previous, 1 from event where pos = ${next}
          union all
          select event.pos, event.previous, nth + 1 from chain
          inner join event on event.pos = chain.previous where nth < ${size} and event.pos > ${above}
        )
        select ${sql.join(columns.map((column) => sql.ref(`event.${column}`)))}, event.previous
        from chain inner join event on event.pos = chain.pos order by nth`.execute(query);
      yield* rows;
      next = rows.at(-1)?.previous ?? null;
    }
  }

  async function* linkedBefore(before: EventKey | undefined): AsyncGenerator<LogEvent> {
    if (!before) return yield* linkedFrom(last);
    for await (const step of chained()) if (compareKeys(step, before) < 0) return yield* linkedFrom(step.pos);
  }

  async function* linkedAfter(after: EventKey): AsyncGenerator<LogEvent> {
    const positions: number[] = [];
    for await (const step of chained()) {
      if (compareKeys(step, after) <= 0) break;
      positions.push(step.pos);
    }
    positions.reverse();
    for (let at = 0; at < positions.length; at += laterPages) {
      const page = positions.slice(at, at + laterPages);
      yield* await query.selectFrom('event').select(columns).where('pos', 'in', page).orderBy('pos').execute();
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

/** The events that an index by device has. */
function indexedEvents(
  query: Kysely<Tables>,
  { devEUI, above }: Omit<LogRange, 'last'>,
  condition: Condition,
): LogEvents {
  const events = () =>
    query.selectFrom('event').select(columns).where('dev_eui', '=', devEUI).where(condition).where('pos', '>', above);

  async function* older(before: EventKey | undefined): AsyncGenerator<LogEvent> {
    for (let bound = before; ; ) {
      const within = bound;
      const rows: LogEvent[] = await events()
        .$if(within !== undefined, (all) => all.where(sql<boolean>`(at, seq) < (${within!.at}, ${within!.seq})`))
        .orderBy('at', 'desc')
        .orderBy('pos', 'desc')
        .limit(laterPages)
        .execute();
      yield* rows;
      if (rows.length < laterPages) return;
      bound = rows.at(-1);
    }
  }

  async function* newer(after: EventKey): AsyncGenerator<LogEvent> {
    for (let bound = after; ; ) {
      const { at, seq } = bound;
      const rows: LogEvent[] = await events()
        .where(sql<boolean>`(at, seq) > (${at}, ${seq})`)
        .orderBy('at')
        .orderBy('pos')
        .limit(laterPages)
        .execute();
      yield* rows;
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

async function* merged<T>(
  one: AsyncGenerator<T>,
  other: AsyncGenerator<T>,
  isFirst: (one: T, other: T) => boolean,
): AsyncGenerator<T> {
  let [left, right] = [await one.next(), await other.next()];
  while (!left.done || !right.done) {
    if (right.done || (!left.done && isFirst(left.value, right.value))) {
      yield left.value as T;
      left = await one.next();
    } else {
      yield right.value;
      right = await other.next();
    }
  }
}
