import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Tables } from '../database/tables.ts';
import type { Metrics } from '../metrics.ts';
import { parseCursor } from './cursor.ts';
import type { LogPosition } from './event-log.ts';
import type { EventLogSettings } from './settings.ts';

interface CutDependencies {
  config: EventLogSettings & { deliveryMaxAge: number };
  database: Database;
  log: Logger;
  steadyTime: SteadyTime;
  metrics: Metrics;
}

/** Cuts the log at its old end. */
export interface Cut {
  /** Cuts every few seconds from now on. */
  start(): void;
  /** Resolves when nothing is cut any more. */
  stop(): Promise<void>;
  /** Removes what may go by now, in slices, each a commit of its own. */
  sweep(): Promise<void>;
  /** As in `EventLog`. */
  hold(needed: () => Promise<LogPosition[]>): () => void;
}

const sweepEveryMs = 15_000;
const sliceSize = 500;
const betweenSlicesMs = 20;
/** The time of events is known to this. */
const markEveryMs = 600_000;
/** The last of each device that are always kept. */
const leastKept = 10;
/** What is left behind is looked at again, for devices that are gone. */
const againAfterMs = 86_400_000;
/** Of a row and its indexes, beside the payload. */
const rowBytes = 200;
const sampled = 200;
const warnedAt = 0.8;

export function createCut({ config, database, log, steadyTime, metrics }: CutDependencies): Cut {
  const { query } = database;
  const kept = Math.max(leastKept, config.eventHistory);
  const held = new Set<() => Promise<LogPosition[]>>();
  /** Up to here only the last ones of devices are left, so many. */
  let done = { pos: 0, left: 0, sinceMs: Number.NEGATIVE_INFINITY };
  let figures = { rows: 0, bytes: 0, oldestAt: undefined as number | undefined };
  let isFull = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let sweeping: Promise<void> | undefined;

  metrics.gauge('event_log_rows', 'Events in the log.', () => figures.rows);
  metrics.gauge('event_log_bytes', 'Size of the log, estimated.', () => figures.bytes);
  metrics.gauge('event_log_oldest_seconds', 'Age of the oldest event but the last ones of devices.', () =>
    figures.oldestAt === undefined ? 0 : Math.max(0, (Date.now() - figures.oldestAt) / 1000),
  );

  /** The newest row that was there at the time. */
  async function markAt(at: number): Promise<number> {
    const { pos } = await query
      .selectFrom('event_mark')
      .select(({ fn }) => fn.max('pos').as('pos'))
      .where('at', '<=', Math.floor(at))
      .executeTakeFirstOrThrow();
    return Number(pos ?? 0);
  }

  async function mark(now: number, pos: number): Promise<void> {
    const { at } = await query
      .selectFrom('event_mark')
      .select(({ fn }) => fn.max('at').as('at'))
      .executeTakeFirstOrThrow();
    if (at !== null && Math.abs(now - Number(at)) < markEveryMs) return;
    await query
      .insertInto('event_mark')
      .values({ at: Math.round(now), pos })
      .execute();
  }

  /** The last one before that time stays: it says up to where. */
  async function forgetMarks(before: number): Promise<void> {
    const marks = query.selectFrom('event_mark').where('at', '<=', Math.floor(before));
    await query
      .deleteFrom('event_mark')
      .where(
        'at',
        '<',
        marks.select(({ fn }) => fn.max('at').as('at')),
      )
      .execute();
  }

  async function lowestNeeded(): Promise<number> {
    const positions = (await Promise.all([...held].map((needed) => needed()))).flat();
    const firsts = positions.map((position) => {
      const { pos, gaps } = parseCursor(position);
      return Math.min(pos + 1, ...gaps);
    });
    return Math.min(Number.POSITIVE_INFINITY, ...firsts);
  }

  /** Removes what may go of the next rows up to `last`; answers where they end, undefined when there are none. */
  async function cutSlice(last: number): Promise<number | undefined> {
    const rows = await query
      .selectFrom('event')
      .select('pos')
      .where('pos', '>', done.pos)
      .where('pos', '<=', last)
      .orderBy('pos')
      .limit(sliceSize)
      .execute();
    const end = rows.at(-1)?.pos;
    if (end === undefined) return undefined;
    let removed = 0;
    await database.commitSeparately({
      run: async () => {
        removed = await remove(database.query, { after: done.pos, end, kept });
        return true;
      },
    });
    done = { ...done, pos: end, left: Math.max(0, done.left + rows.length - removed) };
    return end;
  }

  async function cutTo(last: number): Promise<void> {
    while ((await cutSlice(last)) !== undefined) {
      if (isStopped) return;
      await pause(betweenSlicesMs);
    }
    done = { ...done, pos: Math.max(done.pos, last) };
  }

  /** What is behind the rows that are done with, nearly all numbers of which are rows; `first` is the first of them. */
  async function measure(newest: number): Promise<{ first: number; bytes: number; each: number }> {
    const oldest = await query
      .selectFrom('event')
      .select(['pos', 'at'])
      .where('pos', '>', done.pos)
      .orderBy('pos')
      .limit(1)
      .executeTakeFirst();
    const some = query.selectFrom('event').select('payload').orderBy('pos', 'desc').limit(sampled).as('some');
    const { mean } = await query
      .selectFrom(some)
      .select(sql<number | string | null>`avg(length(payload))`.as('mean'))
      .executeTakeFirstOrThrow();
    const first = oldest?.pos ?? newest + 1;
    const each = Number(mean ?? 0) + rowBytes;
    const rows = newest - first + 1 + done.left;
    figures = { rows, bytes: Math.round(rows * each), oldestAt: oldest?.at };
    return { first, bytes: figures.bytes, each };
  }

  async function keepBelowMost(newest: number): Promise<void> {
    const { first, bytes, each } = await measure(newest);
    const most = config.eventLogMax;
    if (database.kind !== 'sqlite') return;
    if (bytes > most) {
      await cutTo(Math.min(newest, first - 1 + Math.ceil((bytes - most) / each)));
      await measure(newest);
    }
    const wasFull = isFull;
    isFull = bytes > most * warnedAt;
    if (isFull && !wasFull)
      log.warn({ bytes, most }, 'the event log is nearly as large as it may be: beyond that the oldest events go');
  }

  async function sweep(): Promise<void> {
    const now = await steadyTime.moveOn();
    const { newest: last } = await query
      .selectFrom('event')
      .select(({ fn }) => fn.max('pos').as('newest'))
      .executeTakeFirstOrThrow();
    const newest = Number(last ?? 0);
    await mark(now, newest);
    if (now - done.sinceMs > againAfterMs) done = { pos: 0, left: 0, sinceMs: now };
    const { eventLogKeep, deliveryMaxAge } = config;
    const unneeded = (await lowestNeeded()) - 1;
    const old = eventLogKeep === 0 ? newest : await markAt(now - eventLogKeep);
    const tooOld = await markAt(now - Math.max(eventLogKeep, deliveryMaxAge));
    await cutTo(Math.max(tooOld, Math.min(old, unneeded)));
    await keepBelowMost(newest);
    await forgetMarks(now - Math.max(eventLogKeep, deliveryMaxAge));
  }

  const sweepLater = () => {
    sweeping ??= sweep()
      .catch((error: unknown) => log.error({ err: error }, 'the event log was not cut; the next round tries again'))
      .finally(() => {
        sweeping = undefined;
      });
  };

  return {
    start: () => {
      timer ??= setInterval(sweepLater, sweepEveryMs);
    },
    stop: async () => {
      clearInterval(timer);
      isStopped = true;
      await sweeping;
    },
    sweep,
    hold: (needed) => {
      const one = () => needed();
      held.add(one);
      return () => held.delete(one);
    },
  };
}

/**
 * All rows behind `after` up to `end`, and those that were left before them of the same devices, but the last ones of each
 * device. Errors share the number of the event before them, and the last of each kind is kept beside the log.
 */
async function remove(query: Kysely<Tables>, { after, end, kept }: { after: number; end: number; kept: number }) {
  const isOld = sql`not exists (select 1 from device where device.dev_eui = event.dev_eui
    and event.pos > device.log_from and event.seq > device.event_seq - ${kept})`;
  const left = await sql`
    with recursive earlier(pos, previous) as (
      select event.pos, event.previous from event inner join event as later on later.previous = event.pos
      where later.pos > ${after} and later.pos <= ${end} and later.previous <= ${after}
      union all
      select event.pos, event.previous from event inner join earlier on earlier.previous = event.pos
    )
    delete from event where pos in (select pos from earlier) and ${isOld}`.execute(query);
  const slice = await sql`
    delete from event where pos > ${after} and pos <= ${end} and (type = 'error' or ${isOld})`.execute(query);
  return Number(left.numAffectedRows ?? 0) + Number(slice.numAffectedRows ?? 0);
}
