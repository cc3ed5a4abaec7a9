import type { DeviceEventItem } from '@hilltop/contract';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { lastOfDevice } from '../event-log/chain.ts';
import { streamItemOf } from './event.ts';

/** The last events of a device, oldest first: so many, and the last error of each kind with how often it came. */
export async function readHistory(
  { query }: Database,
  devEUI: string,
  historySize: number,
): Promise<DeviceEventItem[]> {
  if (historySize === 0) return [];
  const events = await lastOfDevice(query, { devEUI, most: historySize });
  const errors = await query
    .selectFrom('last_error')
    .select(['payload', 'at', 'seq', 'count'])
    .where('dev_eui', '=', devEUI)
    .execute();
  return [...events, ...errors].sort(byTime).map((row) => {
    const payloadJSON = 'count' in row ? counted(row.payload, row.count) : row.payload;
    const { publishedAt } = JSON.parse(payloadJSON) as { publishedAt: string };
    return { type: 'count' in row ? 'error' : row.type, payloadJSON, publishedAt, streamID: `${row.at}-${row.seq}` };
  });
}

type Placed = { at: number; seq: number; count?: number };

/** An error comes after the event whose number it shares. */
function byTime(a: Placed, b: Placed): number {
  return a.seq - b.seq || Number('count' in a) - Number('count' in b) || a.at - b.at;
}

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
