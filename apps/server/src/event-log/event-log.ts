import type { DeviceEvent, EventType } from './event.ts';

declare const ofLog: unique symbol;
/** Where a reader stands: text that is stored and handed back, and that only the log it came from understands. */
export type LogPosition = string & { readonly [ofLog]: true };

/** An event as it is kept: what streams and integrations get is made of its JSON. */
export interface LoggedEvent {
  /** `<devEUI>-<streamID>`, unique for ever and the same in every delivery. */
  readonly id: string;
  /** Its number in this log: grows along the events of one device. */
  readonly pos: number;
  readonly type: EventType;
  readonly devEUI: string;
  readonly applicationID: number;
  readonly at: Date;
  /** Protobuf JSON of its payload. */
  readonly json: string;
}

/** What a device gives an event of its, as its row says it: its number, its position, and that of the one before it. */
export interface Link {
  event_seq: number;
  last_event: number | null;
  previous_event: number | null;
}

/** Reads what was committed: every event once, those of a device in the order they happened. */
export interface LogReader {
  /** The next ones, at most so many; none while there is nothing new. */
  next(limit: number): Promise<LoggedEvent[]>;
  /** What to store when all that was read is done but `open`: a reader from there on misses nothing. */
  position(open: Iterable<LoggedEvent>): LogPosition;
}

/** All events of all devices, in one table that is only ever appended to and cut at its old end. */
export interface EventLog {
  /** Within the transaction of the session the event came from; all but errors at the place that its device gave. */
  append(event: DeviceEvent, link?: Link): Promise<void>;
  /**
   * Calls `wake` a moment after events of the application (of any, when undefined) were committed. A hint: look every
   * second as well.
   */
  onAppend(applicationID: number | undefined, wake: () => void): () => void;
  /** Behind the newest event. */
  end(): Promise<LogPosition>;
  /** Before the first event of that time or later. */
  positionAt(time: Date): Promise<LogPosition>;
  reader(applicationID: number | undefined, after: LogPosition): LogReader;
  /**
   * How much there is of these types (of all) between a position and the end, and since when it has waited. What is behind the
   * next 10,000 events is counted whatever its type, and of that no more than 100,000.
   */
  behind(
    applicationID: number | undefined,
    after: LogPosition,
    types?: readonly EventType[],
  ): Promise<{ events: number; oldestAt: Date | undefined }>;
  /** Undefined when it was cut, or its device is gone. */
  find(id: string): Promise<LoggedEvent | undefined>;
  newest(applicationID: number, only?: { type?: EventType; devEUI?: string }): Promise<LoggedEvent | undefined>;
  /** Until the answer is called, nothing behind the positions that `needed` tells is cut before the most it may hold. */
  hold(needed: () => Promise<LogPosition[]>): () => void;
}
