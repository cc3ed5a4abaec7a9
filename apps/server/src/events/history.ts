import type { Bus, DeviceEvent } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';

/** The kept events of a device, oldest first. */
export async function readHistory({ query }: Database, devEUI: string, historySize: number): Promise<DeviceEvent[]> {
  const rows = await query
    .selectFrom('device_event')
    .select(['type', 'payload_json', 'published_at', 'stream_id'])
    .where('dev_eui', '=', devEUI)
    .orderBy('seq', 'desc')
    .limit(historySize)
    .execute();
  return rows
    .map((row) => ({
      type: row.type,
      payloadJSON: row.payload_json,
      publishedAt: row.published_at,
      streamID: row.stream_id,
    }))
    .reverse();
}

/** The kept events first, then each new one exactly once; ends by calling what it answers. */
export async function watchEvents(
  { database, bus, historySize }: { database: Database; bus: Bus; historySize: number },
  devEUI: string,
  onEvent: (event: DeviceEvent) => void,
): Promise<() => void> {
  let early: DeviceEvent[] | undefined = [];
  // An event can be read from the history a moment before it is published: it must not be shown again then.
  let known = new Set<string>();
  const pass = (event: DeviceEvent) => {
    if (!known.delete(event.streamID)) onEvent(event);
  };
  const stop = await bus.subscribe('device-event', devEUI, (event) => {
    if (early) early.push(event);
    else pass(event);
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
