import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import type { Counters } from '../statistics/counters.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Tried } from './attempt.ts';
import { type AttemptOutcome, type Line, linesKept, toAttempt, writeLines } from './lines.ts';

/** What is remembered of the deliveries of one integration: its last lines, and counts. */
export interface DeliveryRecord {
  /** A delivery was tried; `isShown` makes a line of it whatever else there is. */
  tried(outcome: AttemptOutcome, about: { event: LoggedEvent; attempt: number }, tried: Tried, isShown: boolean): void;
  /** Something else worth a line; `count` are the events it is about. */
  note(outcome: AttemptOutcome, message: string, event?: LoggedEvent, count?: number): void;
  isDirty(): boolean;
  /** Within a transaction: lines, and every 15 s, or at last, the counts. */
  write(isLast: boolean): Promise<void>;
}

const successEveryMs = 1000;
const countsEveryMs = 15_000;
/** Of the latency, in milliseconds. */
const buckets = [10, 30, 100, 300, 1000, 3000, 10_000];

export function createRecord({
  id,
  kind,
  nextSeq,
  database,
  bus,
  statistics,
  metrics,
  now,
}: {
  id: number;
  kind: string;
  /** The number of the next line. */
  nextSeq: number;
  database: Database;
  bus: Bus;
  statistics: Statistics;
  metrics: Metrics;
  now: () => Date;
}): DeliveryRecord {
  let lines: Line[] = [];
  let seq = nextSeq;
  let counts: Counters = {};
  /** Being written; a transaction may run twice. */
  let counted: Counters | undefined;
  let successShownAt = Number.NEGATIVE_INFINITY;
  let countedAt = now().getTime();

  function add(outcome: AttemptOutcome, about: Partial<Line>): void {
    const nothing = { event_id: '', type: '', dev_eui: '', status: 0, message: '', ms: 0, attempt: 0, bytes: 0 };
    lines.push({ at: now(), outcome, ...nothing, excerpt: '', ...about });
    if (lines.length > linesKept) lines.shift();
  }

  function count(outcome: AttemptOutcome, by: number): void {
    const name = outcome.toLowerCase();
    counts[name] = (counts[name] ?? 0) + by;
    metrics.count('deliveries', { kind, outcome: name }, by);
  }

  const isCountDue = () => Object.keys(counts).length > 0 && now().getTime() - countedAt >= countsEveryMs;

  function isWorthALine(outcome: AttemptOutcome, isShown: boolean): boolean {
    if (outcome !== 'DELIVERED' || isShown) return isShown;
    const ms = now().getTime();
    if (Math.abs(ms - successShownAt) < successEveryMs) return false;
    successShownAt = ms;
    return true;
  }

  return {
    tried: (outcome, { event, attempt }, tried, isShown) => {
      count(outcome, 1);
      const bucket = `ms_${buckets.find((most) => tried.ms <= most) ?? 'more'}`;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      counts['bytes'] = (counts['bytes'] ?? 0) + tried.bytes;
      metrics.observe('delivery_seconds', { kind }, tried.ms / 1000);
      if (!isWorthALine(outcome, isShown)) return;
      const { trouble, status, ms, bytes } = tried;
      const about = { event_id: event.id, type: event.type, dev_eui: event.devEUI, attempt };
      const came = { status, ms, bytes, message: trouble?.message ?? '', excerpt: trouble ? tried.excerpt : '' };
      add(outcome, { ...about, ...came });
    },

    note: (outcome, message, event, by = 0) => {
      if (by > 0) count(outcome, by);
      const about = event ? { event_id: event.id, type: event.type, dev_eui: event.devEUI } : {};
      add(outcome, { message, ...about });
    },

    isDirty: () => lines.length > 0 || counted !== undefined || isCountDue(),

    write: async (isLast) => {
      const written = [...lines];
      const numbered = written.map((line, at) => ({ ...line, seq: seq + at }));
      const atMs = now().getTime();
      await writeLines(database, id, numbered);
      if (!counted && (isLast || isCountDue())) {
        counted = counts;
        counts = {};
      }
      if (counted) await statistics.record(`integration:${id}`, atMs, counted);
      database.afterCommit(() => {
        lines = lines.filter((line) => !written.includes(line));
        seq += written.length;
        if (written.length > 0) bus.publish('delivery-lines', String(id), numbered.map(toAttempt));
        if (counted) countedAt = atMs;
        counted = undefined;
      });
    },
  };
}
