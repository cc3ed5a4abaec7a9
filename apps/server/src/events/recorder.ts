import type { Clock } from '@hilltop/network-server';
import { integration } from '@hilltop/protobuf';
import type { Updateable } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import { sideBySide } from '../database/side-by-side.ts';
import { hasTransaction, linkColumns, nextLink, nextTime, takeLink } from '../event-log/chain.ts';
import type { EventLog, Link } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import { type DeviceTable, seenMarkLagMs } from '../resources/device/tables.ts';
import type { Counters } from '../statistics/counters.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { ServerEffect } from './effect.ts';
import type { DeviceEvent, PendingEvent } from './event.ts';

/** All that one message of the network changes about one device. */
export type DeviceUpdate = {
  about: string;
  devEUI: string;
  events: PendingEvent[];
  at: Date;
  /** Columns of the device to set. */
  change?: Updateable<DeviceTable>;
  counters?: Counters;
};

export type EventRecorder = { record(happening: DeviceUpdate): ServerEffect };

interface RecorderDependencies {
  database: Database;
  bus: Bus;
  statistics: Statistics;
  eventLog: Pick<EventLog, 'append'>;
  clock: Clock;
  metrics: Pick<Metrics, 'count'>;
  historySize: number;
}

type Timed = Link & { stream_ms: number };
type Marked = Timed & { seen_mark: Date | null };

/** Writes events into the log, the last error of each kind beside it, counts, and tells who watches afterwards. */
export function eventRecorder({
  database,
  bus,
  statistics,
  eventLog,
  clock,
  metrics,
  historySize,
}: RecorderDependencies): EventRecorder {
  const { kind } = database;
  const nowMs = () => clock.now().getTime();
  const seen = prepare<{ devEUI: string; lastSeenAt: Date; dr: number; now: number }>()(
    database,
    (query, $) =>
      query
        .updateTable('device')
        .set({ last_seen_at: $.lastSeenAt, dr: $.dr, ...nextLink(kind), stream_ms: nextTime(kind, $.now) })
        .where('dev_eui', '=', $.devEUI)
        .where(hasTransaction(kind))
        .returning([...linkColumns, 'stream_ms', 'seen_mark']),
    { isBatched: true, rowKey: 'devEUI' },
  );
  const nextError = prepare<{ devEUI: string; now: number }>()(database, (query, $) =>
    query
      .updateTable('device')
      .set({ stream_ms: nextTime(kind, $.now, 1) })
      .where('dev_eui', '=', $.devEUI)
      .returning([...linkColumns, 'stream_ms']),
  );
  const mark = prepare<{ devEUI: string; lastSeenAt: Date }>()(
    database,
    (query, $) => query.updateTable('device').set({ seen_mark: $.lastSeenAt }).where('dev_eui', '=', $.devEUI),
    { isBatched: true, rowKey: 'devEUI' },
  );
  type Kept = { devEUI: string; kind: number; at: number; seq: number; payload: string };
  const keepError = prepare<Kept>()(database, (query, $) => {
    const values = { at: $.at, seq: $.seq, payload: $.payload };
    return query
      .insertInto('last_error')
      .values({ dev_eui: $.devEUI, kind: $.kind, ...values, count: 1 })
      .onConflict((on) =>
        on.columns(['dev_eui', 'kind']).doUpdateSet((row) => ({ ...values, count: row('last_error.count', '+', 1) })),
      );
  });

  /** Where the first event belongs when that is no error, else the last one before; undefined when the device is gone. */
  async function change({ devEUI, change: columns = {}, events }: DeviceUpdate): Promise<Marked | undefined> {
    const { last_seen_at: lastSeenAt, dr, ...rest } = columns;
    const isLinked = events.length > 0 && events[0]!.type !== 'error';
    if (isLinked && lastSeenAt instanceof Date && typeof dr === 'number' && Object.keys(rest).length === 0)
      return seen.first({ devEUI, lastSeenAt, dr, now: nowMs() });
    return database.query
      .updateTable('device')
      .set((row) => ({
        ...columns,
        ...(isLinked ? nextLink(kind) : { event_seq: row.ref('event_seq') }),
        // An error shares the number of the event before it, never its time.
        ...(events.length > 0 && { stream_ms: nextTime(kind, nowMs(), isLinked ? 0 : 1) }),
      }))
      .where('dev_eui', '=', devEUI)
      .where(hasTransaction(kind))
      .returning([...linkColumns, 'stream_ms', 'seen_mark'])
      .executeTakeFirst();
  }

  /** Most uplinks write no index: lists by when devices were seen go by a time that may lag behind. */
  async function keepMark(devEUI: string, lastSeenAt: Date, marked: Date | null): Promise<void> {
    const lag = marked && lastSeenAt.getTime() - marked.getTime();
    if (lag === null || lag > seenMarkLagMs || lag < 0) await mark.run({ devEUI, lastSeenAt });
  }

  async function write(happening: DeviceUpdate): Promise<void> {
    const { devEUI, events, counters, at } = happening;
    const changed = await change(happening);
    if (!changed) return;
    const lastSeenAt = happening.change?.last_seen_at;
    const marks = async () => {
      if (lastSeenAt instanceof Date) await keepMark(devEUI, lastSeenAt, changed.seen_mark);
    };
    const appends = () => appendAll(devEUI, events, changed);
    const counts = async () => {
      if (counters) await statistics.record(`device:${devEUI}`, at.getTime(), counters);
    };
    if (database.isPipelined) return void (await sideBySide([marks(), appends(), counts()]));
    await marks();
    await appends();
    await counts();
  }

  async function appendAll(devEUI: string, events: readonly PendingEvent[], first: Timed): Promise<void> {
    let link = first;
    for (const [index, event] of events.entries()) {
      const isError = event.type === 'error';
      if (index > 0) link = (await (isError ? nextError : takeLink(database)).first({ devEUI, now: nowMs() }))!;
      const { event_seq: seq, stream_ms: ms } = link;
      const stored: DeviceEvent = { ...event, id: `${devEUI}-${ms}-${seq}` };
      await eventLog.append(stored, isError ? undefined : link);
      if (event.type === 'error') {
        const errorKind = integration.ErrorType.numbers[event.payload.type];
        await keepError.run({ devEUI, kind: errorKind, at: ms, seq, payload: stored.json() });
      }
      database.afterCommit(() => {
        metrics.count('events', { type: event.type });
        if (historySize > 0) bus.publish('device-event', devEUI, stored);
      });
    }
  }

  return { record: (happening) => ({ about: happening.about, write: () => write(happening) }) };
}
