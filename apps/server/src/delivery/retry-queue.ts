import { isStorageFailure } from '../database/storage-failure.ts';
import { failPoint } from '../fail-points.ts';
import type { AttemptLog } from './attempt-log.ts';
import { type DeviceQueue, DeviceQueues, type QueuedEvent } from './device-queues.ts';
import {
  deleteRetryRow,
  insertRetryRows,
  oldestRetryRow,
  type RetryReference,
  type RetryRow,
  updateRetryRow,
} from './retry-rows.ts';
import type { DeliveryRuntime } from './runtime.ts';
import { commitWithRetry, storageRetryMs } from './storage-retry.ts';

/** Why an event is in the queue: the last status (0: no response) and message. */
export type RetryReason = Pick<RetryRow, 'status' | 'message'>;

interface RetryQueueOptions {
  integrationID: number;
  /** The rows that exist already. */
  stored: readonly RetryReference[];
  attemptLog: Pick<AttemptLog, 'addNote'>;
  /** Ends the retries of writes that fail. */
  signal: AbortSignal;
  onSizeChange: (size: number) => void;
}

const maxPerDevice = 1000;
const maxRetries = 10_000;
/** The delay while rows of the device are still being written. */
const missingRowDelayMs = 100;

/**
 * The retry queue of one integration: events that wait in the database, in a queue for each device. Memory holds only their
 * number and the due time of each device. Methods that write resolve when the rows are on disk; they resolve to false when
 * the integration stopped before that.
 */
export class RetryQueue {
  readonly queues = new DeviceQueues();
  readonly #runtime: Pick<DeliveryRuntime, 'database' | 'clock' | 'log'>;
  readonly #options: RetryQueueOptions;
  /** The inserts under way, each with the rows of one device. */
  readonly #inserts = new Set<{ devEUI: string; rows: readonly RetryRow[] }>();
  #size = 0;

  constructor(runtime: Pick<DeliveryRuntime, 'database' | 'clock' | 'log'>, options: RetryQueueOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#enqueueStored(options.stored);
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size >= maxRetries;
  }

  has(devEUI: string): boolean {
    return this.queues.find(devEUI) !== undefined;
  }

  /**
   * Stores events of one device: the first is retried at `nextAt`, the others follow it. Events beyond the limit of a device
   * become dead letters.
   */
  async add(
    devEUI: string,
    events: readonly QueuedEvent[],
    reason: RetryReason,
    nextAt: Date = this.#runtime.clock.now(),
  ): Promise<boolean> {
    const now = this.#runtime.clock.now();
    const queue = this.queues.findOrCreate(devEUI);
    if (queue.retryCount === 0) queue.notBefore = nextAt.getTime();
    const capacity = Math.max(0, maxPerDevice - queue.retryCount);
    for (const { event } of events.slice(capacity))
      this.#options.attemptLog.addNote('DEAD', 'Too many events of this device wait already.', event, 1);
    const rows = events.map((event, index) => ({
      ...toRow(event, index === 0 ? reason : { status: 0, message: '' }, nextAt),
      deadAt: index >= capacity ? now : undefined,
      failures: event.attempts > 0 ? 1 : 0,
    }));
    this.#changeSize(queue, Math.min(events.length, capacity));
    if (!(await this.#insert(devEUI, rows))) return false;
    failPoint('retries stored');
    this.queues.update(queue);
    return true;
  }

  /** Stores an event as a dead letter without retries. */
  async addDeadLetter(event: QueuedEvent, reason: RetryReason): Promise<boolean> {
    const now = this.#runtime.clock.now();
    if (!(await this.#insert(event.event.devEUI, [{ ...toRow(event, reason, now), deadAt: now }]))) return false;
    failPoint('dead letter stored');
    return true;
  }

  /** The row to retry; undefined when there is none now. */
  async oldest(queue: DeviceQueue): Promise<RetryRow | undefined> {
    const { devEUI } = queue;
    const firstInserting = this.#firstInserting(devEUI);
    try {
      const row = await oldestRetryRow(this.#runtime.database, this.#options.integrationID, devEUI);
      // A row that is still being written may be older.
      if (row && row.event.pos <= firstInserting) return row;
      if (row || Math.min(firstInserting, this.#firstInserting(devEUI)) < Infinity)
        this.delay(queue, missingRowDelayMs);
      // The rows were deleted by others.
      else this.#remove(queue, queue.retryCount);
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      this.delay(queue, storageRetryMs);
    }
    return undefined;
  }

  /** Deletes the row of a delivered event. */
  async complete(queue: DeviceQueue, { event }: RetryRow): Promise<boolean> {
    if (!(await this.#commit((database, id) => deleteRetryRow(database, id, event.pos)))) return false;
    failPoint('retry completed');
    this.#remove(queue, 1);
    return true;
  }

  /** Stores another failure; the event is retried at `row.nextAt`. */
  async postpone(queue: DeviceQueue, row: RetryRow): Promise<boolean> {
    queue.notBefore = row.nextAt.getTime();
    if (!(await this.#commit((database, id) => updateRetryRow(database, id, row)))) return false;
    failPoint('retry postponed');
    return true;
  }

  /** Makes an event that failed permanently a dead letter. */
  async moveToDeadLetters(queue: DeviceQueue, row: RetryRow): Promise<boolean> {
    const dead = { ...row, deadAt: this.#runtime.clock.now() };
    if (!(await this.#commit((database, id) => updateRetryRow(database, id, dead)))) return false;
    failPoint('retry given up');
    this.#remove(queue, 1);
    return true;
  }

  /** Retries nothing of the device before this time has passed. */
  delay(queue: DeviceQueue, ms: number): void {
    queue.notBefore = this.#runtime.clock.now().getTime() + ms;
  }

  /** Adds requeued dead letters, which wait for a retry now. */
  requeue(references: readonly RetryReference[]): void {
    this.#enqueueStored(references);
    this.#options.onSizeChange(this.#size);
  }

  #enqueueStored(references: readonly RetryReference[]): void {
    for (const { devEUI, nextAt } of references) {
      const queue = this.queues.findOrCreate(devEUI);
      queue.retryCount += 1;
      if (queue.retryCount === 1) queue.notBefore = nextAt.getTime();
    }
    this.#size += references.length;
    for (const queue of this.queues.all()) this.queues.update(queue);
  }

  #remove(queue: DeviceQueue, count: number): void {
    queue.notBefore = 0;
    this.#changeSize(queue, -count);
  }

  #changeSize(queue: DeviceQueue, change: number): void {
    queue.retryCount += change;
    this.#size += change;
    this.#options.onSizeChange(this.#size);
  }

  async #insert(devEUI: string, rows: readonly RetryRow[]): Promise<boolean> {
    const insert = { devEUI, rows };
    this.#inserts.add(insert);
    try {
      return await this.#commit((database, id) => insertRetryRows(database, id, rows));
    } finally {
      this.#inserts.delete(insert);
    }
  }

  /** The lowest number of an event of the device that is being inserted; infinite without one. */
  #firstInserting(devEUI: string): number {
    const rows = [...this.#inserts].filter((insert) => insert.devEUI === devEUI).flatMap((insert) => insert.rows);
    return Math.min(...rows.map(({ event }) => event.pos));
  }

  #commit(work: (database: DeliveryRuntime['database'], integrationID: number) => Promise<void>): Promise<boolean> {
    const { database } = this.#runtime;
    return commitWithRetry(this.#runtime, this.#options.signal, () => work(database, this.#options.integrationID));
  }
}

function toRow(
  { event, doneParts, attempts }: QueuedEvent,
  { status, message }: RetryReason,
  nextAt: Date,
): Omit<RetryRow, 'deadAt'> {
  return { event, doneParts, attempts, failures: 1, nextAt, status, message };
}
