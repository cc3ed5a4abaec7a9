import type { EventNote, HistoryEvent } from '@hilltop/contract';
import { parsedJson } from '../../../components/live-log/identifiers.ts';

/** A row of the history, parsed. */
export interface TimelineItem {
  readonly streamID: string;
  readonly kind: string;
  readonly publishedAt: string;
  readonly atMs: number;
  readonly payload: TimelinePayload;
  readonly note: EventNote;
  readonly event: HistoryEvent;
}

/** Members that decide which rows belong together. */
interface TimelinePayload {
  readonly fCnt?: number;
  readonly direction?: 'up' | 'down';
  readonly mType?: string;
  /** A step of a downlink. */
  readonly step?: string;
  readonly id?: string;
  /** Of an error. */
  readonly type?: string;
}

/**
 * Rows of one exchange with the device, each below what caused it: an uplink, what it reported, the downlink that
 * answered it from its queueing on, and its acknowledgement.
 */
export interface Exchange {
  /** The streamID of its first row. */
  readonly key: string;
  /** When its uplink was received; without one the time of its last row. */
  readonly atMs: number;
  readonly items: readonly TimelineItem[];
}

/** RX2 of a join-accept, the answer of the gateway, and some delay. */
const longestAnswerMs = 12_000;
/** What the network server reports with an uplink has about the same time. */
const sameMomentMs = 1000;

const withUplink: ReadonlySet<string> = new Set(['join', 'error', 'status', 'location']);
/** Steps in which a downlink is about to leave, or has left. */
const onAir: ReadonlySet<string> = new Set([
  'SENDING',
  'SENT',
  'GATEWAY_REFUSED',
  'NO_GATEWAY',
  'DUTY_CYCLE',
  'TOO_LARGE',
]);
const acknowledged: ReadonlySet<string> = new Set(['ACKNOWLEDGED', 'UNACKNOWLEDGED']);

export function itemOf(event: HistoryEvent): TimelineItem {
  const { streamID, kind, publishedAt, payloadJSON, noteJSON } = event;
  const payload = objectIn(payloadJSON) as TimelinePayload;
  const at = publishedAt ?? '';
  return {
    streamID,
    kind,
    publishedAt: at,
    atMs: Date.parse(at),
    payload,
    note: objectIn(noteJSON) as EventNote,
    event,
  };
}

function objectIn(json: string): object {
  const parsed = parsedJson(json || '{}');
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

interface OpenExchange {
  readonly items: TimelineItem[];
  /** When the frame of the device was received; undefined: the exchange did not begin with one. */
  readonly receivedMs: number | undefined;
}

/** Groups rows, the newest first, into exchanges, the newest first. */
export function exchangesOf(items: readonly TimelineItem[]): Exchange[] {
  const exchanges: OpenExchange[] = [];
  /** The exchange in which the downlink with that counter left. */
  const downlinks = new Map<number, OpenExchange>();
  /** The exchange with the last step of the downlink with that id. */
  const withStep = new Map<string, OpenExchange>();
  let latest: OpenExchange | undefined;
  /** Rows that the next uplink may have caused. */
  let early: TimelineItem[] = [];

  const begin = (rows: TimelineItem[], receivedMs?: number): OpenExchange => {
    const exchange = { items: rows, receivedMs };
    exchanges.push(exchange);
    return exchange;
  };
  const beginEarly = (isCaused: (item: TimelineItem) => boolean): TimelineItem[] => {
    const caused = early.filter(isCaused);
    for (const item of early) if (!isCaused(item)) begin([item]);
    early = [];
    return caused;
  };
  /** Adds a step of a downlink; its earlier steps come along when they belong to no exchange yet. */
  const addStep = (item: TimelineItem, exchange: OpenExchange | undefined) => {
    const { id } = item.payload;
    const earlier = id === undefined ? undefined : withStep.get(id);
    const chosen = exchange ?? earlier ?? begin([]);
    if (earlier && earlier !== chosen && !earlier.items.some(isSending)) {
      exchanges.splice(exchanges.indexOf(earlier), 1);
      chosen.items.push(...earlier.items);
    }
    chosen.items.push(item);
    if (id !== undefined) withStep.set(id, chosen);
    return chosen;
  };
  const isAnswer = (item: TimelineItem) =>
    latest?.receivedMs !== undefined && item.atMs - latest.receivedMs <= longestAnswerMs;

  for (const item of items.toReversed()) {
    const { kind, atMs } = item;
    if (isFromDevice(item)) {
      const reported = beginEarly((one) => atMs - one.atMs <= sameMomentMs);
      // The first uplink of a session follows from the join.
      const joins = reported.filter((one) => one.kind === 'join');
      latest = begin([...joins, item, ...reported.filter((one) => one.kind !== 'join')], atMs);
    } else if (latest && isAnswer(item) && isAfterUplink(item, latest)) latest.items.push(item);
    else if (withUplink.has(kind)) early.push(item);
    else if (isAcknowledgement(item)) addStep(item, downlinks.get(counterOf(item) ?? 0));
    else if (isSending(item)) {
      beginEarly(() => false);
      const counter = counterOf(item);
      const known = counter === undefined ? undefined : downlinks.get(counter);
      const exchange = addStep(item, isAnswer(item) && latest ? latest : known);
      if (counter !== undefined) downlinks.set(counter, exchange);
    } else if (kind === 'downlink') addStep(item, undefined);
    else begin([item]);
  }
  beginEarly(() => false);
  return exchanges
    .map(({ items: rows, receivedMs }) => ({
      key: rows[0]!.streamID,
      atMs: receivedMs ?? rows.at(-1)!.atMs,
      items: rows,
    }))
    .toSorted((one, other) => other.atMs - one.atMs || compareIDs(other.key, one.key));
}

/** Adds changes of the device, each on its own. */
export function withChanges(exchanges: readonly Exchange[], changes: readonly TimelineItem[]): readonly Exchange[] {
  if (changes.length === 0) return exchanges;
  const own = changes.map((item) => ({ key: item.streamID, atMs: item.atMs, items: [item] }));
  return [...exchanges, ...own].toSorted((one, other) => other.atMs - one.atMs);
}

const compareIDs = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });

/** JSON of recorded events has no member for the counter 0. */
const counterOf = ({ kind, payload }: TimelineItem): number | undefined =>
  payload.fCnt ?? (kind === 'ack' || kind === 'txack' ? 0 : undefined);

/** A position is computed from the receptions of the uplink before it; a downlink may fail after it. */
function isAfterUplink({ kind, payload, atMs }: TimelineItem, { receivedMs = 0 }: OpenExchange): boolean {
  if (kind === 'error') return payload.type?.startsWith('DOWNLINK_') === true;
  return kind === 'location' && atMs - receivedMs <= sameMomentMs;
}

const isFromDevice = ({ kind, payload }: TimelineItem): boolean =>
  kind === 'up' || (kind === 'frame' && payload.direction !== 'down');
const isAcknowledgement = ({ kind, payload }: TimelineItem): boolean =>
  kind === 'ack' || (kind === 'downlink' && acknowledged.has(payload.step ?? ''));
const isSending = ({ kind, payload }: TimelineItem): boolean =>
  kind === 'txack' ||
  (kind === 'frame' && payload.direction === 'down') ||
  (kind === 'downlink' && onAir.has(payload.step ?? ''));
