import type { DeviceEventItem } from '@hilltop/contract';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { streamItemOf } from './event.ts';

/** The kept events of a device, oldest first: so many, and the last error of each kind with how often it came. */
export async function readHistory(
  { query }: Database,
  devEUI: string,
  historySize: number,
): Promise<DeviceEventItem[]> {
  if (historySize === 0) return [];
  const rows = query
    .selectFrom('device_event')
    .select(['type', 'payload_json', 'published_at', 'stream_id', 'seq', 'slot', 'count'])
    .where('dev_eui', '=', devEUI)
    .orderBy('seq', 'desc');
  const events = await rows.where('slot', '>=', 0).limit(historySize).execute();
  const errors = await rows.where('slot', '<', 0).execute();
  return [...events, ...errors].sort(byTime).map((row) => ({
    type: row.type,
    payloadJSON: row.slot < 0 ? counted(row.payload_json, row.count) : row.payload_json,
    publishedAt: row.published_at,
    streamID: row.stream_id,
  }));
}

type Placed = { seq: number; slot: number; stream_id: string };

/** An error comes after the event whose number it shares. */
function byTime(a: Placed, b: Placed): number {
  return a.seq - b.seq || (a.slot < 0 && b.slot < 0 ? 0 : b.slot - a.slot) || atMs(a) - atMs(b);
}

const atMs = ({ stream_id }: Placed) => Number.parseInt(stream_id, 10);

/** Readers know the members of an error: how often it came is part of its words. */
function counted(payloadJSON: string, count: number): string {
  if (count === 1) return payloadJSON;
  const payload = JSON.parse(payloadJSON) as { error: string };
  return JSON.stringify({ ...payload, error: `${payload.error} (${count} times)` });
}

/** The kept events first, then each new one exactly once; ends by calling what it answers. */
export async function watchEvents(
  { database, bus, historySize }: { database: Database; bus: Bus; historySize: number },
  devEUI: string,
  onEvent: (event: DeviceEventItem) => void,
): Promise<() => void> {
  let early: DeviceEventItem[] | undefined = [];
  // An event can be read from the history a moment before it is published: it must not be shown again then.
  let known = new Set<string>();
  const pass = (event: DeviceEventItem) => {
    if (!known.delete(event.streamID)) onEvent(event);
  };
  const stop = await bus.subscribe('device-event', devEUI, (event) => {
    const item = streamItemOf(event);
    if (early) early.push(item);
    else pass(item);
  });
  try {
    const history = await readHistory(database, devEUI, historySize);
    known = new Set(history.map(({ streamID }) => streamID));
    for (const event of history) onEvent(event);
    for (const event of early) pass(event);
    early = undefined;
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}
