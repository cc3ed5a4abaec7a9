import type { GatewayEventType, OwnKind } from '@hilltop/contract';
import type { PreparedStatement } from '../database/unit.ts';
import { type EventType, eventMessages, type LoggableEvent } from './event.ts';

declare const ofLog: unique symbol;
/** A stored cursor of a reader: text that only its log can interpret. */
export type LogPosition = string & { readonly [ofLog]: true };

/** The types of events that readers get. */
export type LoggedType = EventType | GatewayEventType;

/** A stored event: streams and integrations convert its JSON. */
export interface LoggedEvent<Type extends LoggedType = LoggedType> {
  /** `<devEUI>-<streamID>`: unique, and the same in every delivery. */
  readonly id: string;
  /** Its number in this log, which increases along the events of one device. */
  readonly pos: number;
  readonly type: Type;
  /** Of the event of a gateway: the id of the gateway. */
  readonly devEUI: string;
  /** Of the event of a gateway: see `gatewaysOf`. */
  readonly applicationID: number;
  readonly at: Date;
  /** Protobuf JSON of its payload. */
  readonly json: string;
}

/**
 * What the row of a device assigns to its next event: its number, its position, and the position of the previous one.
 */
export interface Link {
  event_seq: number;
  last_event: number | null;
  previous_event: number | null;
}

/** What the database returns of an event that a statement has appended. */
export interface AppendedRow {
  pos: number;
  at: number;
  seq: number;
  payload: string;
}

export type TimedLink = Link & { stream_ms: number };

/** Reads committed events: every event once, those of a device in order. */
export interface LogReader {
  /** The next events, at most `limit`; none when there are no new ones. */
  next(limit: number): Promise<LoggedEvent[]>;
  /** The position to store when all read events are completed except `open`: a reader that starts there misses none. */
  position(open: Iterable<LoggedEvent>): LogPosition;
}

/** All events of all devices, in one table that grows at its end and is cut at its beginning. */
export interface EventLog {
  /**
   * Call it in the transaction of the session change. All events except errors, and those that only the history shows,
   * are appended at the position that their device assigned.
   */
  append(event: LoggableEvent, link?: Link): Promise<void>;
  /**
   * On PostgreSQL: appends an event at the next position of its device, in one statement that is sent at once. Answers
   * its id, or undefined without the device.
   */
  appendNext(event: Omit<LoggableEvent, 'id'>, now: number): Promise<string | undefined>;
  /**
   * `append` for a prepared unit, after a statement that changed the device and returns its link. The result of that
   * statement is passed to `onWritten`, before the event is published.
   */
  prepareAppend(event: Omit<LoggableEvent, 'id'>): {
    statement: PreparedStatement;
    onWritten: (link: TimedLink) => void;
  };
  /**
   * Appends an event that only the history shows, at `now` or later. Like an error, it shares the number of the event
   * before it and has a later time. Without the device it does nothing.
   */
  appendOwn(event: Omit<LoggableEvent, 'id' | 'applicationID'>, now: number): Promise<void>;
  /** The current transaction has appended such an event by `insertOwnEventFrom`. */
  ownAppended(event: { devEUI: string; type: OwnKind }, row: AppendedRow): void;
  /**
   * Calls `wake` a moment after events of the application (of any, when undefined) were committed. This is a hint: also
   * read once a second.
   */
  onAppend(applicationID: number | undefined, wake: () => void): () => void;
  /** The position after the newest event. */
  end(): Promise<LogPosition>;
  /** The position before the first event of that time or later. */
  positionAt(time: Date): Promise<LogPosition>;
  /** Without an application: the events of all applications. */
  reader(applicationID: number | undefined, after: LogPosition): LogReader;
  /**
   * How many events of these types (of all) follow a position, and the time of the oldest. Only the first 10,000 are
   * counted by type, later ones whatever their type, and at most 100,000 of them.
   */
  behind(
    applicationID: number | undefined,
    after: LogPosition,
    types?: readonly LoggedType[],
  ): Promise<{ events: number; oldestAt: Date | undefined }>;
  /** Undefined when the event or its device was removed. */
  find(id: string): Promise<LoggedEvent | undefined>;
  newest(applicationID: number, only?: { type?: LoggedType; devEUI?: string }): Promise<LoggedEvent | undefined>;
  /**
   * Until the returned function is called, no event after these positions is removed before its longest retention ends.
   */
  retain(neededPositions: () => Promise<LogPosition[]>): () => void;
}

export const isOfDevice = (event: LoggedEvent): event is LoggedEvent<EventType> =>
  Object.hasOwn(eventMessages, event.type);
