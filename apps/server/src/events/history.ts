import type { DeviceEventItem } from '@hilltop/contract';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { lastOfDevice } from '../event-log/chain.ts';
import { partsOfEventID } from '../event-log/event.ts';
import type { EventRow } from '../event-log/row.ts';
import type { Metrics } from '../metrics.ts';
import { type DeviceEvent, streamItemOf } from './event.ts';
import type { MissedEvents } from './missed.ts';

/** The last `historySize` events of a device and its last error of each kind, with the number of such errors; the oldest first. */
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
  return [...events, ...errors].sort(compareEvents).map(itemOf);
}

type EventTime = { at: number; seq: number; count?: number };
type HistoryRow = EventTime & { type?: string; payload: string };

function itemOf({ type = 'error', at, seq, count, payload }: HistoryRow): DeviceEventItem {
  const payloadJSON = count === undefined ? payload : withCount(payload, count);
  const { publishedAt } = JSON.parse(payloadJSON) as { publishedAt: string };
  return { type, payloadJSON, publishedAt, streamID: `${at}-${seq}` };
}

/** An error follows the event whose number it shares. */
function compareEvents(a: EventTime, b: EventTime): number {
  return a.seq - b.seq || Number('count' in a) - Number('count' in b) || a.at - b.at;
}

/** Clients know no field with the number of errors: it is part of the message. */
function withCount(payloadJSON: string, count: number): string {
  if (count === 1) return payloadJSON;
  const payload = JSON.parse(payloadJSON) as { error: string };
  return JSON.stringify({ ...payload, error: `${payload.error} (${count} times)` });
}

interface HistoryDependencies {
  database: Database;
  bus: Bus;
  /** Undefined in a single process, where no event gets lost. */
  missedEvents?: MissedEvents | undefined;
  metrics: Pick<Metrics, 'count'>;
  historySize: number;
}

/** Events that wait while the database is read. Later ones are dropped, and then read as far as the history reaches. */
const maxWaiting = 1_000;

/**
 * Calls `onEvent` with the events of the history, and then with each new event exactly once and in order, until the returned
 * function is called. Events of other instances may arrive in another order or get lost: a gap before an event is read from
 * the database.
 */
export async function watchEvents(
  { database, bus, missedEvents, metrics, historySize }: HistoryDependencies,
  devEUI: string,
  onEvent: (event: DeviceEventItem) => void,
): Promise<() => void> {
  const waiting: DeviceEvent[] = [];
  /** Stream ids of errors in the history: errors have no number of their own, and may be published after they were read. */
  const errors = new Set<string>();
  let lastSeq = 0;
  let droppedUpTo = 0;
  let isReading = true;
  let hasEnded = false;

  function show(item: DeviceEventItem, seq: number): void {
    lastSeq = Math.max(lastSeq, seq);
    if (!hasEnded) onEvent(item);
  }

  function showWaiting(): void {
    while (!isReading && waiting.length > 0) {
      const event = waiting[0]!;
      const { seq } = partsOfEventID(event.id);
      const isError = event.type === 'error';
      const before = isError ? seq : seq - 1;
      if (before > lastSeq) return void showGap(before);
      waiting.shift();
      const item = streamItemOf(event);
      if (isError ? !errors.delete(item.streamID) : seq > lastSeq) show(item, seq);
    }
    if (!isReading && droppedUpTo > lastSeq) void showGap(droppedUpTo);
  }

  function drop({ id }: DeviceEvent): void {
    metrics.count('live_items_dropped');
    droppedUpTo = partsOfEventID(id).seq;
  }

  /** Skips the gap when the storage is unavailable. */
  async function showGap(upTo: number): Promise<void> {
    isReading = true;
    const missing = await readAfter(database, devEUI, { lastSeq, upTo, most: historySize }).catch(() => []);
    isReading = false;
    for (const row of missing) show(itemOf(row), row.seq);
    lastSeq = Math.max(lastSeq, upTo);
    showWaiting();
  }

  const stop = await bus.subscribe('device-event', devEUI, (event) => {
    if (waiting.length < maxWaiting) waiting.push(event);
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
  const addMissed = (rows: readonly EventRow[], upTo: number) => {
    if (isReading) return;
    for (const row of rows) if (row.seq > lastSeq) show(itemOf(row), row.seq);
    lastSeq = Math.max(lastSeq, upTo);
    showWaiting();
  };
  const unfollow = historySize > 0 ? missedEvents?.follow({ devEUI, upTo: () => lastSeq, addMissed }) : undefined;
  return () => {
    hasEnded = true;
    unfollow?.();
    stop();
  };
}

/** The events after `lastSeq`, at least up to `upTo`, but not more than the last `most`; the oldest first. */
async function readAfter(
  { query }: Database,
  devEUI: string,
  { lastSeq, upTo, most }: { lastSeq: number; upTo: number; most: number },
): Promise<EventRow[]> {
  for (let wanted = upTo - lastSeq; ; ) {
    const rows = await lastOfDevice(query, { devEUI, most: Math.min(wanted, most) });
    const total = (rows[0]?.seq ?? 0) - lastSeq;
    if (total <= wanted || wanted >= most) return rows.filter(({ seq }) => seq > lastSeq).reverse();
    wanted = total;
  }
}
