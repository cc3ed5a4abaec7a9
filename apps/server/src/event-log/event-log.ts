import type { DeviceEvent, EventType } from './event.ts';

declare const ofLog: unique symbol;
/** A stored cursor of a reader: text that only the log it came from can interpret. */
export type LogPosition = string & { readonly [ofLog]: true };

/** A stored event: streams and integrations get what is made of its JSON. */
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

/** What the row of a device assigns to its next event: its number, its position, and the position of the previous one. */
export interface Link {
  event_seq: number;
  last_event: number | null;
  previous_event: number | null;
}

/** Reads what was committed: every event once, those of a device in the order they happened. */
export interface LogReader {
  /** The next events, at most `limit`; none while there is nothing new. */
  next(limit: number): Promise<LoggedEvent[]>;
  /** What to store when all events that were read are done but `open`: a reader that starts there misses none. */
  position(open: Iterable<LoggedEvent>): LogPosition;
}

/** All events of all devices, in one table that is only ever appended to and cut at its old end. */
export interface EventLog {
  /** Within the transaction of the session the event came from; all but errors at the position that its device assigned. */
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
   * How many events of these types (of all) are behind a position, and the time of the oldest. Events behind the next 10,000
   * are counted whatever their type, and at most 100,000 of them.
   */
  behind(
    applicationID: number | undefined,
    after: LogPosition,
    types?: readonly EventType[],
  ): Promise<{ events: number; oldestAt: Date | undefined }>;
  /** Undefined when the event was removed, or its device. */
  find(id: string): Promise<LoggedEvent | undefined>;
  newest(applicationID: number, only?: { type?: EventType; devEUI?: string }): Promise<LoggedEvent | undefined>;
  /**
   * Until the returned function is called, no event behind these positions is removed before its longest retention ends.
   */
  hold(neededPositions: () => Promise<LogPosition[]>): () => void;
}
