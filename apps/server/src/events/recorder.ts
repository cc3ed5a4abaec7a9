import { integration } from '@hilltop/protobuf';
import type { Updateable } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { ServerEffect } from '../network/effect.ts';
import type { DeviceTable } from '../network/tables.ts';
import type { Counters } from '../statistics/counters.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { type DeviceEvent, type PendingEvent, type Reaction, streamItemOf } from './event.ts';

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

type Needed = { database: Database; bus: Bus; statistics: Statistics; historySize: number; reactions: Reaction[] };

/** Writes events into the ring of their device, errors beside it, counts, lets every reaction write, and tells who watches afterwards. */
export function eventRecorder({ database, bus, statistics, historySize, reactions }: Needed): EventRecorder {
  const seen = prepare<{ devEUI: string; lastSeenAt: Date; dr: number; events: number }>()(database, (query, $) =>
    query
      .updateTable('device')
      .set((row) => ({ last_seen_at: $.lastSeenAt, dr: $.dr, event_seq: row('event_seq', '+', $.events) }))
      .where('dev_eui', '=', $.devEUI)
      .returning('event_seq'),
  );
  type Kept = ReturnType<typeof streamItemOf> & { devEUI: string; slot: number; seq: number };
  const keep = prepare<Kept>()(database, (query, $) => {
    const values = {
      seq: $.seq,
      type: $.type,
      payload_json: $.payloadJSON,
      published_at: $.publishedAt,
      stream_id: $.streamID,
    };
    return query
      .insertInto('device_event')
      .values({ dev_eui: $.devEUI, slot: $.slot, ...values })
      .onConflict((on) =>
        on.columns(['dev_eui', 'slot']).doUpdateSet((row) => ({ ...values, count: row('device_event.count', '+', 1) })),
      );
  });
  let lastMs = 0;

  /** The number of the last event in the device's ring, undefined when the device is gone. */
  async function change({ devEUI, change: columns = {}, events }: DeviceHappening): Promise<number | undefined> {
    const { last_seen_at: lastSeenAt, dr, ...rest } = columns;
    if (lastSeenAt instanceof Date && typeof dr === 'number' && Object.keys(rest).length === 0) {
      return (await seen.first({ devEUI, lastSeenAt, dr, events: inRing(events) }))?.event_seq;
    }
    const row = await database.query
      .updateTable('device')
      .set((eb) => ({ ...columns, event_seq: eb('event_seq', '+', inRing(events)) }))
      .where('dev_eui', '=', devEUI)
      .returning('event_seq')
      .executeTakeFirst();
    return row?.event_seq;
  }

  async function write(happening: DeviceHappening): Promise<void> {
    const { devEUI, events, counters, at } = happening;
    const last = await change(happening);
    if (last === undefined) return;
    let seq = last - inRing(events);
    for (const event of events) {
      const isError = event.type === 'error';
      if (!isError) seq += 1;
      // An error shares the number of the event before it, never its time.
      lastMs = Math.max(isError ? lastMs + 1 : lastMs, Date.now());
      const stored: DeviceEvent = { ...event, id: `${devEUI}-${lastMs}-${seq}` };
      const slot = event.type === 'error' ? slotOfError(event) : seq % historySize;
      if (historySize > 0) await keep.run({ ...streamItemOf(stored), devEUI, slot, seq });
      for (const react of reactions) await react(stored);
      if (historySize > 0) database.afterCommit(() => bus.publish('device-event', devEUI, stored));
    }
    if (counters) await statistics.record(`device:${devEUI}`, at.getTime(), counters);
  }

  return { record: (happening) => ({ about: happening.about, write: () => write(happening) }) };
}

const inRing = (events: readonly PendingEvent[]) => events.filter(({ type }) => type !== 'error').length;

/** One row for each kind of error: whoever can cause many of them pushes no other event out. */
function slotOfError({ payload }: PendingEvent & { type: 'error' }): number {
  return -1 - integration.ErrorType.numbers[payload.type];
}
