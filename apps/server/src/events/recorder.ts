import type { Clock } from '@hilltop/network-server';
import { integration } from '@hilltop/protobuf';
import type { Updateable } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { ServerEffect } from '../network/effect.ts';
import type { DeviceTable } from '../network/tables.ts';
import type { Counters } from '../statistics/counters.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { DeviceEvent, PendingEvent } from './event.ts';

/** All that one message of the network changes about one device. */
export type DeviceHappening = {
  about: string;
  devEUI: string;
  events: PendingEvent[];
  at: Date;
  /** Columns of the device to set. */
  change?: Updateable<DeviceTable>;
  counters?: Counters;
};

export type EventRecorder = { record(happening: DeviceHappening): ServerEffect };

interface Needed {
  database: Database;
  bus: Bus;
  statistics: Statistics;
  eventLog: Pick<EventLog, 'append'>;
  clock: Clock;
  historySize: number;
}

/** Writes events into the log, the last error of each kind beside it, counts, and tells who watches afterwards. */
export function eventRecorder({ database, bus, statistics, eventLog, clock, historySize }: Needed): EventRecorder {
  const seen = prepare<{ devEUI: string; lastSeenAt: Date; dr: number; events: number }>()(database, (query, $) =>
    query
      .updateTable('device')
      .set((row) => ({ last_seen_at: $.lastSeenAt, dr: $.dr, event_seq: row('event_seq', '+', $.events) }))
      .where('dev_eui', '=', $.devEUI)
      .returning('event_seq'),
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
  let lastMs = 0;

  /** The number of the device's last event, undefined when the device is gone. */
  async function change({ devEUI, change: columns = {}, events }: DeviceHappening): Promise<number | undefined> {
    const { last_seen_at: lastSeenAt, dr, ...rest } = columns;
    if (lastSeenAt instanceof Date && typeof dr === 'number' && Object.keys(rest).length === 0) {
      return (await seen.first({ devEUI, lastSeenAt, dr, events: numbered(events) }))?.event_seq;
    }
    const row = await database.query
      .updateTable('device')
      .set((eb) => ({ ...columns, event_seq: eb('event_seq', '+', numbered(events)) }))
      .where('dev_eui', '=', devEUI)
      .returning('event_seq')
      .executeTakeFirst();
    return row?.event_seq;
  }

  async function write(happening: DeviceHappening): Promise<void> {
    const { devEUI, events, counters, at } = happening;
    const last = await change(happening);
    if (last === undefined) return;
    let seq = last - numbered(events);
    for (const event of events) {
      const isError = event.type === 'error';
      if (!isError) seq += 1;
      // An error shares the number of the event before it, never its time.
      lastMs = Math.max(isError ? lastMs + 1 : lastMs, clock.now().getTime());
      const stored: DeviceEvent = { ...event, id: `${devEUI}-${lastMs}-${seq}` };
      await eventLog.append(stored);
      if (event.type === 'error') {
        const kind = integration.ErrorType.numbers[event.payload.type];
        await keepError.run({ devEUI, kind, at: lastMs, seq, payload: stored.json() });
      }
      if (historySize > 0) database.afterCommit(() => bus.publish('device-event', devEUI, stored));
    }
    if (counters) await statistics.record(`device:${devEUI}`, at.getTime(), counters);
  }

  return { record: (happening) => ({ about: happening.about, write: () => write(happening) }) };
}

/** An error has the number of the event before it. */
const numbered = (events: readonly PendingEvent[]) => events.filter(({ type }) => type !== 'error').length;
