import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import type { Counters } from '../statistics/counters.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { AttemptResult } from './attempt.ts';
import { type AttemptLine, type AttemptOutcome, maxLines, toAttempt, writeAttempts } from './attempt-rows.ts';

/** The log that users see of one integration, its last 500 lines, and the counts of its outcomes. */
export interface AttemptLog {
  /** Counts an attempt. Without `isShown`, only one success a second gets a line, and nothing else does. */
  addAttempt(
    outcome: AttemptOutcome,
    label: { event: LoggedEvent; attempt: number },
    result: AttemptResult,
    isShown: boolean,
  ): void;
  /** Adds a line about something else than an attempt; `count` is the number of events it is about. */
  addNote(outcome: AttemptOutcome, message: string, event?: LoggedEvent, count?: number): void;
  /** Whether there is anything to write. */
  isDirty(): boolean;
  /** Within a transaction: writes the new lines, and the counts every 15 s or when `isLast`. */
  write(isLast: boolean): Promise<void>;
}

const successLineIntervalMs = 1000;
const countsIntervalMs = 15_000;
const latencyBucketsMs = [10, 30, 100, 300, 1000, 3000, 10_000];

export function createAttemptLog({
  id,
  kind,
  nextLineNumber,
  database,
  bus,
  statistics,
  metrics,
  now,
}: {
  /** Of the integration. */
  id: number;
  kind: string;
  nextLineNumber: number;
  database: Database;
  bus: Bus;
  statistics: Statistics;
  metrics: Metrics;
  now: () => Date;
}): AttemptLog {
  let lines: AttemptLine[] = [];
  let seq = nextLineNumber;
  let counts: Counters = {};
  /** Counts that are being written: a transaction may run twice. */
  let pendingCounts: Counters | undefined;
  let successShownAt = Number.NEGATIVE_INFINITY;
  let countsWrittenAt = now().getTime();

  function addLine(outcome: AttemptOutcome, details: Partial<AttemptLine>): void {
    const empty = { event_id: '', type: '', dev_eui: '', status: 0, message: '', ms: 0, attempt: 0, bytes: 0 };
    lines.push({ at: now(), outcome, ...empty, excerpt: '', ...details });
    if (lines.length > maxLines) lines.shift();
  }

  function count(outcome: AttemptOutcome, by: number): void {
    const name = outcome.toLowerCase();
    counts[name] = (counts[name] ?? 0) + by;
    metrics.count('deliveries', { kind, outcome: name }, by);
  }

  const areCountsDue = () => Object.keys(counts).length > 0 && now().getTime() - countsWrittenAt >= countsIntervalMs;

  function getsLine(outcome: AttemptOutcome, isShown: boolean): boolean {
    if (outcome !== 'DELIVERED' || isShown) return isShown;
    const ms = now().getTime();
    if (Math.abs(ms - successShownAt) < successLineIntervalMs) return false;
    successShownAt = ms;
    return true;
  }

  return {
    addAttempt: (outcome, { event, attempt }, result, isShown) => {
      const { error, status, ms, bytes } = result;
      count(outcome, 1);
      const bucket = `ms_${latencyBucketsMs.find((limit) => ms <= limit) ?? 'more'}`;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      counts['bytes'] = (counts['bytes'] ?? 0) + bytes;
      metrics.observe('delivery_seconds', { kind }, ms / 1000);
      if (!getsLine(outcome, isShown)) return;
      addLine(outcome, {
        event_id: event.id,
        type: event.type,
        dev_eui: event.devEUI,
        attempt,
        status,
        ms,
        bytes,
        message: error?.message ?? '',
        excerpt: error ? result.excerpt : '',
      });
    },

    addNote: (outcome, message, event, by = 0) => {
      if (by > 0) count(outcome, by);
      addLine(outcome, { message, ...(event && { event_id: event.id, type: event.type, dev_eui: event.devEUI }) });
    },

    isDirty: () => lines.length > 0 || pendingCounts !== undefined || areCountsDue(),

    write: async (isLast) => {
      const written = [...lines];
      const numbered = written.map((line, index) => ({ ...line, seq: seq + index }));
      const atMs = now().getTime();
      await writeAttempts(database, id, numbered);
      if (!pendingCounts && (isLast || areCountsDue())) {
        pendingCounts = counts;
        counts = {};
      }
      if (pendingCounts) await statistics.record(`integration:${id}`, atMs, pendingCounts);
      database.afterCommit(() => {
        lines = lines.filter((line) => !written.includes(line));
        seq += written.length;
        if (written.length > 0) bus.publish('delivery-lines', String(id), numbered.map(toAttempt));
        if (pendingCounts) countsWrittenAt = atMs;
        pendingCounts = undefined;
      });
    },
  };
}
