import type { DeviceEventItem } from '@hilltop/contract';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { lastOfDevice } from '../event-log/chain.ts';
import { partsOfEventID } from '../event-log/event.ts';
import type { EventRow } from '../event-log/row.ts';
import type { Metrics } from '../metrics.ts';
import { type DeviceEvent, streamItemOf } from './event.ts';
import type { MissedEvents } from './missed.ts';

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
  return [...events, ...errors].sort(byTime).map(itemOf);
}

type Placed = { at: number; seq: number; count?: number };
type Row = Placed & { type?: string; payload: string };

function itemOf({ type = 'error', at, seq, count, payload }: Row): DeviceEventItem {
  const payloadJSON = count === undefined ? payload : counted(payload, count);
  const { publishedAt } = JSON.parse(payloadJSON) as { publishedAt: string };
  return { type, payloadJSON, publishedAt, streamID: `${at}-${seq}` };
}

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

interface HistoryDependencies {
  database: Database;
  bus: Bus;
  /** Where nothing may come that shows what is missing. */
  missedEvents?: MissedEvents | undefined;
  metrics: Pick<Metrics, 'count'>;
  historySize: number;
}

/** While the database is asked. What comes after those is read from it, as far as the history reaches. */
const mostWaiting = 1_000;

/**
 * The kept events first, then each new one exactly once and in order; ends by calling what it answers. Those of other
 * instances may overtake each other on their way, or get lost: what a later one shows to be missing is read.
 */
export async function watchEvents(
  { database, bus, missedEvents, metrics, historySize }: HistoryDependencies,
  devEUI: string,
  onEvent: (event: DeviceEventItem) => void,
): Promise<() => void> {
  const waiting: DeviceEvent[] = [];
  /** Errors have no number of their own, and may be read a moment before they are published. */
  const errors = new Set<string>();
  let lastSeq = 0;
  let droppedUpTo = 0;
  let isReading = true;
  let isOver = false;

  function show(item: DeviceEventItem, seq: number): void {
    lastSeq = Math.max(lastSeq, seq);
    if (!isOver) onEvent(item);
  }

  function showWaiting(): void {
    while (!isReading && waiting.length > 0) {
      const event = waiting[0]!;
      const { seq } = partsOfEventID(event.id);
      const isError = event.type === 'error';
      const before = isError ? seq : seq - 1;
      if (before > lastSeq) return void showMissing(before);
      waiting.shift();
      const item = streamItemOf(event);
      if (isError ? !errors.delete(item.streamID) : seq > lastSeq) show(item, seq);
    }
    if (!isReading && droppedUpTo > lastSeq) void showMissing(droppedUpTo);
  }

  function drop({ id }: DeviceEvent): void {
    metrics.count('live_items_dropped');
    droppedUpTo = partsOfEventID(id).seq;
  }

  /** What cannot be read, because storage is away, is left out. */
  async function showMissing(upTo: number): Promise<void> {
    isReading = true;
    const missing = await readAfter(database, devEUI, { lastSeq, upTo, most: historySize }).catch(() => []);
    isReading = false;
    for (const row of missing) show(itemOf(row), row.seq);
    lastSeq = Math.max(lastSeq, upTo);
    showWaiting();
  }

  const stop = await bus.subscribe('device-event', devEUI, (event) => {
    if (waiting.length < mostWaiting) waiting.push(event);
    else drop(event);
    showWaiting();
  });
  try {
    for (const item of await readHistory(database, devEUI, historySize)) {
      if (item.type === 'error') errors.add(item.streamID);
      show(item, partsOfEventID(`${devEUI}-${item.streamID}`).seq);
    }
    isReading = false;
    showWaiting();
  } catch (error) {
    stop();
    throw error;
  }
  const tell = (rows: readonly EventRow[], upTo: number) => {
    if (isReading) return;
    for (const row of rows) if (row.seq > lastSeq) show(itemOf(row), row.seq);
    lastSeq = Math.max(lastSeq, upTo);
    showWaiting();
  };
  const unfollow = historySize > 0 ? missedEvents?.follow({ devEUI, upTo: () => lastSeq, tell }) : undefined;
  return () => {
    isOver = true;
    unfollow?.();
    stop();
  };
}

/** The events after that number, up to another one or further, but never more than the last so many: the oldest first. */
async function readAfter(
  { query }: Database,
  devEUI: string,
  { lastSeq, upTo, most }: { lastSeq: number; upTo: number; most: number },
): Promise<EventRow[]> {
  for (let wanted = upTo - lastSeq; ; ) {
    const rows = await lastOfDevice(query, { devEUI, most: Math.min(wanted, most) });
    const all = (rows[0]?.seq ?? 0) - lastSeq;
    if (all <= wanted || wanted >= most) return rows.filter(({ seq }) => seq > lastSeq).reverse();
    wanted = all;
  }
}
