import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Tables } from '../database/tables.ts';
import type { Metrics } from '../metrics.ts';
import { parseCursor } from './cursor.ts';
import type { LogPosition } from './event-log.ts';
import { EventMarks } from './marks.ts';
import { isError, isOfGateway, isOwn } from './row.ts';
import type { EventLogSettings } from './settings.ts';

export interface RetentionDependencies {
  config: EventLogSettings & { deliveryMaxAge: number };
  database: Database;
  log: Logger;
  steadyTime: SteadyTime;
  metrics: Metrics;
}

/** Removes old events. */
export interface Retention {
  /** Starts to sweep every few seconds. */
  start(): void;
  /** Resolves when no sweep runs any more. */
  stop(): Promise<void>;
  /** Removes expired events, in slices that are each committed separately. */
  sweep(): Promise<void>;
  /** See `retain` of `EventLog`. */
  retain(neededPositions: () => Promise<LogPosition[]>): () => void;
}

const sweepEveryMs = 15_000;
const sliceSize = 500;
const betweenSlicesMs = 20;
/** The last events of each device are never removed. */
const leastPerDevice = 10;
/** Remaining rows are swept again after this time, because their devices may have been removed. */
const sweepAllEveryMs = 86_400_000;
/** The bytes of a row and its indexes, in addition to the payload. */
const rowBytes = 200;
const sampledRows = 200;
/** The share of the size limit from which on a warning is logged. */
const warnFrom = 0.8;

export function createRetention(dependencies: RetentionDependencies): Retention {
  const { log } = dependencies;
  const sweeper = new Sweeper(dependencies);
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;

  const startSweep = () => {
    sweeping ??= sweeper
      .sweep()
      .catch((error: unknown) => log.error({ err: error }, 'the event log was not cut; the next round tries again'))
      .finally(() => {
        sweeping = undefined;
      });
  };

  return {
    start: () => {
      timer ??= setInterval(startSweep, sweepEveryMs);
    },
    stop: async () => {
      clearInterval(timer);
      sweeper.stop();
      await sweeping;
    },
    sweep: () => sweeper.sweep(),
    retain: (neededPositions) => sweeper.retain(neededPositions),
  };
}

class Sweeper {
  readonly #database: Database;
  readonly #settings: RetentionDependencies['config'];
  readonly #log: Logger;
  readonly #steadyTime: SteadyTime;
  readonly #marks: EventMarks;
  readonly #retained = new Set<() => Promise<LogPosition[]>>();
  readonly #perDevice: number;
  /** Up to `pos` only the last events of devices remain; `remaining` is their number. */
  #swept = { pos: 0, remaining: 0, sinceMs: Number.NEGATIVE_INFINITY };
  #size = { rows: 0, bytes: 0, oldestAt: undefined as number | undefined };
  #isNearlyFull = false;
  #isStopped = false;

  constructor({ config, database, log, steadyTime, metrics }: RetentionDependencies) {
    this.#database = database;
    this.#settings = config;
    this.#log = log;
    this.#steadyTime = steadyTime;
    this.#marks = new EventMarks(database.query);
    this.#perDevice = Math.max(leastPerDevice, config.eventHistory);
    metrics.gauge('event_log_rows', 'Events in the log.', () => this.#size.rows);
    metrics.gauge('event_log_bytes', 'Size of the log, estimated.', () => this.#size.bytes);
    metrics.gauge('event_log_oldest_seconds', 'Age of the oldest event but the last ones of devices.', () => {
      const { oldestAt } = this.#size;
      return oldestAt === undefined ? 0 : Math.max(0, (Date.now() - oldestAt) / 1000);
    });
  }

  stop(): void {
    this.#isStopped = true;
  }

  retain(neededPositions: () => Promise<LogPosition[]>): () => void {
    const needed = () => neededPositions();
    this.#retained.add(needed);
    return () => this.#retained.delete(needed);
  }

  async sweep(): Promise<void> {
    const now = await this.#steadyTime.moveOn();
    const newest = await this.#newestPosition();
    await this.#marks.add(now, newest);
    if (now - this.#swept.sinceMs > sweepAllEveryMs) this.#swept = { pos: 0, remaining: 0, sinceMs: now };
    const { eventLogKeep, deliveryMaxAge } = this.#settings;
    const longestMs = Math.max(eventLogKeep, deliveryMaxAge);
    const lastUnneeded = (await this.#lowestNeeded()) - 1;
    const lastOld = eventLogKeep === 0 ? newest : await this.#marks.positionAt(now - eventLogKeep);
    const lastTooOld = await this.#marks.positionAt(now - longestMs);
    await this.#removeUpTo(Math.max(lastTooOld, Math.min(lastOld, lastUnneeded)));
    await this.#limitSize(newest);
    await this.#marks.removeBefore(now - longestMs);
  }

  async #newestPosition(): Promise<number> {
    const { newest } = await this.#database.query
      .selectFrom('event')
      .select(({ fn }) => fn.max('pos').as('newest'))
      .executeTakeFirstOrThrow();
    return Number(newest ?? 0);
  }

  async #lowestNeeded(): Promise<number> {
    const positions = (await Promise.all([...this.#retained].map((neededPositions) => neededPositions()))).flat();
    const firsts = positions.map((position) => {
      const { pos, gaps } = parseCursor(position);
      return Math.min(pos + 1, ...gaps);
    });
    return Math.min(Number.POSITIVE_INFINITY, ...firsts);
  }

  async #removeUpTo(last: number): Promise<void> {
    while (await this.#removeSlice(last)) {
      if (this.#isStopped) return;
      await pause(betweenSlicesMs);
    }
    this.#swept = { ...this.#swept, pos: Math.max(this.#swept.pos, last) };
  }

  /** Removes expired rows of the next slice up to `last`; false when there are no more rows. */
  async #removeSlice(last: number): Promise<boolean> {
    const { pos: after, remaining } = this.#swept;
    const rows = await this.#database.query
      .selectFrom('event')
      .select('pos')
      .where('pos', '>', after)
      .where('pos', '<=', last)
      .orderBy('pos')
      .limit(sliceSize)
      .execute();
    const end = rows.at(-1)?.pos;
    if (end === undefined) return false;
    let removed = 0;
    await this.#database.commitSeparately({
      run: async () => {
        removed = await removeRows(this.#database.query, { after, end, perDevice: this.#perDevice });
        return true;
      },
    });
    this.#swept = { ...this.#swept, pos: end, remaining: Math.max(0, remaining + rows.length - removed) };
    return true;
  }

  /** On SQLite only: operators manage the disk of PostgreSQL. */
  async #limitSize(newest: number): Promise<void> {
    const { first, bytesPerRow } = await this.#measure(newest);
    const { bytes } = this.#size;
    const maxBytes = this.#settings.eventLogMax;
    if (this.#database.kind !== 'sqlite') return;
    if (bytes > maxBytes) {
      await this.#removeUpTo(Math.min(newest, first - 1 + Math.ceil((bytes - maxBytes) / bytesPerRow)));
      await this.#measure(newest);
    }
    const wasNearlyFull = this.#isNearlyFull;
    this.#isNearlyFull = bytes > maxBytes * warnFrom;
    if (this.#isNearlyFull && !wasNearlyFull)
      this.#log.warn(
        { bytes, most: maxBytes },
        'the event log is close to its size limit: above it the oldest events are removed',
      );
  }

  /** Estimates the rows that are not swept, nearly all positions of which exist; `first` is the first of them. */
  async #measure(newest: number): Promise<{ first: number; bytesPerRow: number }> {
    const { query } = this.#database;
    const oldest = await query
      .selectFrom('event')
      .select(['pos', 'at'])
      .where('pos', '>', this.#swept.pos)
      .orderBy('pos')
      .limit(1)
      .executeTakeFirst();
    const sample = query.selectFrom('event').select('payload').orderBy('pos', 'desc').limit(sampledRows).as('sample');
    const { mean } = await query
      .selectFrom(sample)
      .select(sql<number | string | null>`avg(length(payload))`.as('mean'))
      .executeTakeFirstOrThrow();
    const first = oldest?.pos ?? newest + 1;
    const bytesPerRow = Number(mean ?? 0) + rowBytes;
    const rows = newest - first + 1 + this.#swept.remaining;
    this.#size = { rows, bytes: Math.round(rows * bytesPerRow), oldestAt: oldest?.at };
    return { first, bytesPerRow };
  }
}

/**
 * Removes all rows after `after` up to `end`, and earlier remaining rows of the same devices, except the last ones of
 * each device. Errors, and events that only the history shows, share the number of the event before them; the last
 * error of each kind is also stored outside the log.
 */
async function removeRows(
  query: Kysely<Tables>,
  { after, end, perDevice }: { after: number; end: number; perDevice: number },
): Promise<number> {
  const isOld = sql`not exists (select 1 from device where device.dev_eui = event.dev_eui
    and event.pos > device.log_from and event.seq > device.event_seq - ${perDevice})`;
  const earlier = await sql`
    with recursive earlier(pos, previous) as (
      select event.pos, event.previous from event inner join event as later on later.previous = event.pos
      where later.pos > ${after} and later.pos <= ${end} and later.previous <= ${after}
      union all
      select event.pos, event.previous from event inner join earlier on earlier.previous = event.pos
    )
    delete from event where pos in (select pos from earlier) and ${isOld}`.execute(query);
  const slice = await sql`
    delete from event where pos > ${after} and pos <= ${end} and (${isError} or ${isOwn} or ${isOfGateway} or ${isOld})`.execute(
    query,
  );
  return Number(earlier.numAffectedRows ?? 0) + Number(slice.numAffectedRows ?? 0);
}
