import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { LogCursor } from './log-cursor.ts';

export type ReadPause = 'stopped' | 'suspended' | 'retry queue full';

const pageSize = 500;
/** The notification of a commit can be lost, so the log is read at least once a second. */
const maxReadIntervalMs = 1000;

/** Reads the event log ahead of the sender, as far as the limit of open events allows. */
export class EventReader {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #cursor: LogCursor;
  readonly #onEvents: (events: readonly LoggedEvent[]) => void;
  readonly #pauses = new Set<ReadPause>();
  #isReading = false;
  #isCaughtUp = false;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  #onIdle: (() => void) | undefined;

  constructor(
    { clock, log }: { clock: Clock; log: Logger },
    cursor: LogCursor,
    onEvents: (events: readonly LoggedEvent[]) => void,
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#cursor = cursor;
    this.#onEvents = onEvents;
  }

  /** Call it when events may have been committed, or when there may be space for more. */
  wake(): void {
    this.#isCaughtUp = false;
    void this.#readAll();
  }

  /** Reads on unless the end of the log was reached. */
  continue(): void {
    if (!this.#isCaughtUp) void this.#readAll();
  }

  tick(): void {
    if (!this.#isCaughtUp || this.#clock.monotonicMs() - this.#lastReadAt >= maxReadIntervalMs) void this.#readAll();
  }

  setPaused(reason: ReadPause, isPaused: boolean): void {
    if (isPaused) this.#pauses.add(reason);
    else if (this.#pauses.delete(reason)) this.#isCaughtUp = false;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  /** Resolves when the read under way has ended. */
  async idle(): Promise<void> {
    if (this.#isReading) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  async #readAll(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let isMore = true; isMore; ) isMore = await this.#readPage();
    } catch (error) {
      this.#isCaughtUp = false;
      this.#log.debug({ err: error }, 'reading events failed; retrying');
    } finally {
      this.#isReading = false;
      this.#onIdle?.();
    }
  }

  /** Returns whether to read another page. */
  async #readPage(): Promise<boolean> {
    const { open } = this.#cursor;
    const capacity = open.capacity();
    if (this.#pauses.size > 0 || capacity <= 0) return false;
    // A read costs as much as a delivery: while many events are open, waits until there is space for a whole page.
    if (capacity < pageSize && open.size >= pageSize) return false;
    this.#isCaughtUp = true;
    this.#lastReadAt = this.#clock.monotonicMs();
    const count = await this.#cursor.readNext(Math.min(pageSize, capacity), this.#onEvents);
    if (count > 0) this.#isCaughtUp = false;
    // Unless `wake` was called during the read.
    if (this.#isCaughtUp) open.forgetDoneEarlier();
    return !this.#isCaughtUp;
  }
}
