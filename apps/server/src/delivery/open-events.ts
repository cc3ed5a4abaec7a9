import type { LoggedEvent } from '../event-log/event-log.ts';
import type { QueuedEvent } from './device-queues.ts';

const limits = { events: 2048, bytes: 8_000_000 };

/**
 * The events of one cursor that were read and are not completed, and the completed ones that follow the oldest open event.
 * Completed means delivered, expired or stored in the retry queue.
 */
export class OpenEvents {
  /** By number in the log, in the order of reading. */
  readonly #open = new Map<number, QueuedEvent>();
  #openBytes = 0;
  #readCount = 0;
  /** Numbers of events that an earlier process completed and that were not read again yet. */
  readonly #doneEarlier: Set<number>;
  /** Completed events: number in the log to read index. */
  readonly #doneAhead = new Map<number, number>();

  constructor(doneEarlier: Iterable<number>) {
    this.#doneEarlier = new Set(doneEarlier);
  }

  /**
   * How many more events may be read. It counts from the oldest open event and includes completed ones, because the
   * numbers of those are stored in `doneAhead`.
   */
  capacity(): number {
    if (this.#openBytes >= limits.bytes) return 0;
    const oldest = this.oldest();
    return limits.events - (oldest ? this.#readCount - oldest.readIndex : 0);
  }

  add(event: LoggedEvent): QueuedEvent {
    const queued: QueuedEvent = {
      event,
      readIndex: this.#readCount,
      attempts: 0,
      doneParts: [],
      soleFailures: 0,
      isSentAlone: false,
    };
    this.#readCount += 1;
    this.#open.set(event.pos, queued);
    this.#openBytes += event.json.length;
    return queued;
  }

  has({ pos }: LoggedEvent): boolean {
    return this.#open.has(pos);
  }

  /** False when the event is not open any more. */
  complete({ event, readIndex }: QueuedEvent): boolean {
    if (!this.#open.delete(event.pos)) return false;
    this.#doneAhead.set(event.pos, readIndex);
    this.#openBytes -= event.json.length;
    return true;
  }

  /** Whether an earlier process completed this event, which was just read again. */
  skipIfDone({ pos }: LoggedEvent): boolean {
    if (!this.#doneEarlier.delete(pos)) return false;
    this.#doneAhead.set(pos, this.#readCount);
    return true;
  }

  /** Whether an earlier process completed this event, which was not read again yet. */
  wasDoneEarlier({ pos }: LoggedEvent): boolean {
    return this.#doneEarlier.has(pos);
  }

  /**
   * Call it when the reader has reached the end of the log: it has read all events again that an earlier process
   * completed.
   */
  forgetDoneEarlier(): void {
    this.#doneEarlier.clear();
  }

  oldest(): QueuedEvent | undefined {
    const [first] = this.#open.values();
    return first;
  }

  events(): LoggedEvent[] {
    return Array.from(this.#open.values(), ({ event }) => event);
  }

  hasEventOf(devEUI: string): boolean {
    return this.events().some((event) => event.devEUI === devEUI);
  }

  /** Call it when the configuration or the endpoint has changed. */
  resetFailures(): void {
    for (const queued of this.#open.values()) {
      queued.soleFailures = 0;
      queued.isSentAlone = false;
    }
  }

  get size(): number {
    return this.#open.size;
  }

  /** Numbers of the completed events after the position to store: the next process skips them. */
  doneAhead(): number[] {
    const oldest = this.oldest();
    for (const [pos, readIndex] of this.#doneAhead)
      if (!oldest || readIndex < oldest.readIndex) this.#doneAhead.delete(pos);
    return [...this.#doneAhead.keys(), ...this.#doneEarlier];
  }
}
