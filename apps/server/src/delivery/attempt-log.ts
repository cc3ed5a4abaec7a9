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
  /** Counts an attempt. Without `isShown`, successes get a line at most once a second, and other attempts none. */
  addAttempt(
    outcome: AttemptOutcome,
    label: { event: LoggedEvent; attempt: number },
    result: AttemptResult,
    isShown: boolean,
  ): void;
  /** Adds a line that is not about an attempt; `count` is the number of events it concerns. */
  addNote(outcome: AttemptOutcome, message: string, event?: LoggedEvent, count?: number): void;
  /** Whether there is anything to write. */
  isDirty(): boolean;
  /** Call it in a transaction: writes the new lines, and the counts every 15 s or when `isLast`. */
  write(isLast: boolean): Promise<void>;
}

const successLineIntervalMs = 1000;
const countsIntervalMs = 15_000;
const latencyBucketsMs = [10, 30, 100, 300, 1000, 3000, 10_000];

interface AttemptLogOptions {
  /** The id of the integration. */
  id: number;
  kind: string;
  nextLineNumber: number;
  database: Database;
  bus: Bus;
  statistics: Statistics;
  metrics: Metrics;
  now: () => Date;
}

export class StoredAttemptLog implements AttemptLog {
  readonly #options: AttemptLogOptions;
  #lines: AttemptLine[] = [];
  #nextLineNumber: number;
  #counts: Counters = {};
  /** Counts that are being written: a transaction may run twice. */
  #pendingCounts: Counters | undefined;
  #countsWrittenAt: number;
  #successShownAt = Number.NEGATIVE_INFINITY;

  constructor(options: AttemptLogOptions) {
    this.#options = options;
    this.#nextLineNumber = options.nextLineNumber;
    this.#countsWrittenAt = options.now().getTime();
  }

  addAttempt(
    outcome: AttemptOutcome,
    { event, attempt }: { event: LoggedEvent; attempt: number },
    result: AttemptResult,
    isShown: boolean,
  ): void {
    const { error, status, ms, bytes } = result;
    this.#count(outcome, 1);
    this.#addCount(`ms_${latencyBucketsMs.find((limit) => ms <= limit) ?? 'more'}`, 1);
    this.#addCount('bytes', bytes);
    this.#options.metrics.observe('delivery_seconds', { kind: this.#options.kind }, ms / 1000);
    if (!this.#getsLine(outcome, isShown)) return;
    this.#addLine(outcome, {
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
  }

  addNote(outcome: AttemptOutcome, message: string, event?: LoggedEvent, count = 0): void {
    if (count > 0) this.#count(outcome, count);
    this.#addLine(outcome, { message, ...(event && { event_id: event.id, type: event.type, dev_eui: event.devEUI }) });
  }

  isDirty(): boolean {
    return this.#lines.length > 0 || this.#pendingCounts !== undefined || this.#areCountsDue();
  }

  async write(isLast: boolean): Promise<void> {
    const { id, database, statistics, bus, now } = this.#options;
    const written = [...this.#lines];
    const numbered = written.map((line, index) => ({ ...line, seq: this.#nextLineNumber + index }));
    const atMs = now().getTime();
    await writeAttempts(database, id, numbered);
    if (!this.#pendingCounts && (isLast || this.#areCountsDue())) {
      this.#pendingCounts = this.#counts;
      this.#counts = {};
    }
    if (this.#pendingCounts) await statistics.record(`integration:${id}`, atMs, this.#pendingCounts);
    database.afterCommit(() => {
      this.#lines = this.#lines.filter((line) => !written.includes(line));
      this.#nextLineNumber += written.length;
      if (written.length > 0) bus.publish('delivery-lines', String(id), numbered.map(toAttempt));
      if (this.#pendingCounts) this.#countsWrittenAt = atMs;
      this.#pendingCounts = undefined;
    });
  }

  #addLine(outcome: AttemptOutcome, details: Partial<AttemptLine>): void {
    const empty = { event_id: '', type: '', dev_eui: '', status: 0, message: '', ms: 0, attempt: 0, bytes: 0 };
    this.#lines.push({ at: this.#options.now(), outcome, ...empty, excerpt: '', ...details });
    if (this.#lines.length > maxLines) this.#lines.shift();
  }

  #count(outcome: AttemptOutcome, by: number): void {
    const name = outcome.toLowerCase();
    this.#addCount(name, by);
    this.#options.metrics.count('deliveries', { kind: this.#options.kind, outcome: name }, by);
  }

  #addCount(name: string, by: number): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + by;
  }

  #areCountsDue(): boolean {
    const elapsedMs = this.#options.now().getTime() - this.#countsWrittenAt;
    return Object.keys(this.#counts).length > 0 && elapsedMs >= countsIntervalMs;
  }

  #getsLine(outcome: AttemptOutcome, isShown: boolean): boolean {
    if (outcome !== 'DELIVERED' || isShown) return isShown;
    const ms = this.#options.now().getTime();
    if (Math.abs(ms - this.#successShownAt) < successLineIntervalMs) return false;
    this.#successShownAt = ms;
    return true;
  }
}
