import type { Clock } from '@hilltop/network-server';
import { integration } from '@hilltop/protobuf';
import type { Updateable } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import { sideBySide } from '../database/side-by-side.ts';
import type { Tables } from '../database/tables.ts';
import { hasTransaction, linkColumns, nextLink, nextTime, takeLink } from '../event-log/chain.ts';
import type { EventLog, Link } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import type { Counters } from '../statistics/counters.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { ServerEffect } from './effect.ts';
import type { DeviceEvent, PendingEvent } from './event.ts';
import { seenMarkLagMs } from './seen-mark.ts';

/** Everything that one message of the network changes about a device. */
export type DeviceUpdate = {
  about: string;
  devEUI: string;
  events: PendingEvent[];
  at: Date;
  /** Columns of the device to set. */
  change?: Updateable<Tables['device']>;
  counters?: Counters;
};

export type EventRecorder = { record(update: DeviceUpdate): ServerEffect };

interface RecorderDependencies {
  database: Database;
  bus: Bus;
  statistics: Statistics;
  eventLog: Pick<EventLog, 'append'>;
  clock: Clock;
  metrics: Pick<Metrics, 'count'>;
  historySize: number;
}

type TimedLink = Link & { stream_ms: number };
type UpdatedDevice = TimedLink & { seen_mark: Date | null };

/** Writes the events of devices into the log, their last error of each kind, and counters; publishes events after the commit. */
export function eventRecorder(dependencies: RecorderDependencies): EventRecorder {
  const { database, bus, statistics, eventLog, clock, metrics, historySize } = dependencies;
  const { kind } = database;
  const statements = prepareStatements(database);
  const nowMs = () => clock.now().getTime();

  /** Updates the device; returns the link of the first event, or of the last one before an error. Undefined: no device. */
  async function updateDevice({ devEUI, change = {}, events }: DeviceUpdate): Promise<UpdatedDevice | undefined> {
    const { last_seen_at: lastSeenAt, dr, ...others } = change;
    const isLinked = events.length > 0 && events[0]!.type !== 'error';
    if (isLinked && lastSeenAt instanceof Date && typeof dr === 'number' && Object.keys(others).length === 0)
      return statements.updateSeen.first({ devEUI, lastSeenAt, dr, now: nowMs() });
    return database.query
      .updateTable('device')
      .set((row) => ({
        ...change,
        ...(isLinked ? nextLink(kind) : { event_seq: row.ref('event_seq') }),
        // An error shares the number of the event before it, never its time.
        ...(events.length > 0 && { stream_ms: nextTime(kind, nowMs(), isLinked ? 0 : 1) }),
      }))
      .where('dev_eui', '=', devEUI)
      .where(hasTransaction(kind))
      .returning([...linkColumns, 'stream_ms', 'seen_mark'])
      .executeTakeFirst();
  }

  /** `seen_mark` is indexed and lags behind, so that most uplinks change no index. */
  async function updateSeenMark(devEUI: string, lastSeenAt: Date, seenMark: Date | null): Promise<void> {
    const lag = seenMark && lastSeenAt.getTime() - seenMark.getTime();
    if (lag === null || lag > seenMarkLagMs || lag < 0) await statements.updateSeenMark.run({ devEUI, lastSeenAt });
  }

  async function write(update: DeviceUpdate): Promise<void> {
    const { devEUI, events, counters, at } = update;
    const device = await updateDevice(update);
    if (!device) return;
    const lastSeenAt = update.change?.last_seen_at;
    const writeMark = async () => {
      if (lastSeenAt instanceof Date) await updateSeenMark(devEUI, lastSeenAt, device.seen_mark);
    };
    const writeEvents = () => appendAll(devEUI, events, device);
    const writeCounters = async () => {
      if (counters) await statistics.record(`device:${devEUI}`, at.getTime(), counters);
    };
    if (database.isPipelined) return void (await sideBySide([writeMark(), writeEvents(), writeCounters()]));
    await writeMark();
    await writeEvents();
    await writeCounters();
  }

  async function appendAll(devEUI: string, events: readonly PendingEvent[], first: TimedLink): Promise<void> {
    let link = first;
    for (const [index, event] of events.entries()) {
      const isError = event.type === 'error';
      const takeNext = isError ? statements.takeErrorTime : takeLink(database);
      if (index > 0) link = (await takeNext.first({ devEUI, now: nowMs() }))!;
      const { event_seq: seq, stream_ms: ms } = link;
      const stored: DeviceEvent = { ...event, id: `${devEUI}-${ms}-${seq}` };
      await eventLog.append(stored, isError ? undefined : link);
      if (event.type === 'error') {
        const errorKind = integration.ErrorType.numbers[event.payload.type];
        await statements.storeLastError.run({ devEUI, kind: errorKind, at: ms, seq, payload: stored.json() });
      }
      database.afterCommit(() => {
        metrics.count('events', { type: event.type });
        if (historySize > 0) bus.publish('device-event', devEUI, stored);
      });
    }
  }

  return { record: (update) => ({ about: update.about, write: () => write(update) }) };
}

function prepareStatements(database: Database) {
  const { kind } = database;
  return {
    /** For most uplinks: only `last_seen_at`, `dr` and the link change. */
    updateSeen: prepare<{ devEUI: string; lastSeenAt: Date; dr: number; now: number }>()(
      database,
      (query, $) =>
        query
          .updateTable('device')
          .set({ last_seen_at: $.lastSeenAt, dr: $.dr, ...nextLink(kind), stream_ms: nextTime(kind, $.now) })
          .where('dev_eui', '=', $.devEUI)
          .where(hasTransaction(kind))
          .returning([...linkColumns, 'stream_ms', 'seen_mark']),
      { isBatched: true, rowKey: 'devEUI' },
    ),
    takeErrorTime: prepare<{ devEUI: string; now: number }>()(database, (query, $) =>
      query
        .updateTable('device')
        .set({ stream_ms: nextTime(kind, $.now, 1) })
        .where('dev_eui', '=', $.devEUI)
        .returning([...linkColumns, 'stream_ms']),
    ),
    updateSeenMark: prepare<{ devEUI: string; lastSeenAt: Date }>()(
      database,
      (query, $) => query.updateTable('device').set({ seen_mark: $.lastSeenAt }).where('dev_eui', '=', $.devEUI),
      { isBatched: true, rowKey: 'devEUI' },
    ),
    storeLastError: prepare<{ devEUI: string; kind: number; at: number; seq: number; payload: string }>()(
      database,
      (query, $) => {
        const values = { at: $.at, seq: $.seq, payload: $.payload };
        return query
          .insertInto('last_error')
          .values({ dev_eui: $.devEUI, kind: $.kind, ...values, count: 1 })
          .onConflict((on) =>
            on
              .columns(['dev_eui', 'kind'])
              .doUpdateSet((row) => ({ ...values, count: row('last_error.count', '+', 1) })),
          );
      },
    ),
  };
}
