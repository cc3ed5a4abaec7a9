import type { LoggedEvent, LogPosition, LogReader } from '../event-log/event-log.ts';
import { OpenEvents } from './open-events.ts';

/** A log reader with its open events. It knows at any moment which position may be stored. */
export class LogCursor {
  readonly open: OpenEvents;
  readonly #reader: LogReader;
  #positionBeforeRead: LogPosition | undefined;

  constructor(reader: LogReader, doneEarlier: Iterable<number>) {
    this.#reader = reader;
    this.open = new OpenEvents(doneEarlier);
  }

  /**
   * Reads the next events and passes them to `onEvents`, synchronously with the change of the position; returns their
   * number. Callers run one read at a time.
   */
  async readNext(limit: number, onEvents: (events: readonly LoggedEvent[]) => void): Promise<number> {
    this.#positionBeforeRead = this.#reader.position(this.open.events());
    try {
      const events = await this.#reader.next(limit);
      onEvents(events);
      return events.length;
    } finally {
      this.#positionBeforeRead = undefined;
    }
  }

  /** The position to store. During a read, that before it: a process that ends then reads these events again. */
  position(): LogPosition {
    return this.#positionBeforeRead ?? this.#reader.position(this.open.events());
  }

  isReading(): boolean {
    return this.#positionBeforeRead !== undefined;
  }
}
