import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    event: EventTable;
    event_mark: EventMarkTable;
  }
}

/** The log of all events, which grows at its end and is cut at its beginning. */
export interface EventTable {
  /** Increases; never assigned twice. */
  pos: Generated<number>;
  /** Milliseconds since 1970: the first part of its stream id. */
  at: number;
  application_id: number;
  dev_eui: string;
  /** The second part: the value of `event_seq` of the device at that time. */
  seq: number;
  type: string;
  /** Protobuf JSON. */
  payload: string;
  /** JSON of an `EventNote`, or null. */
  note: string | null;
  /** Position of the previous event of its device; null for errors, the first event and events of a removed device. */
  previous: number | null;
}

/** The newest position at a time, by which old events are removed: the times of events may come from a wrong clock. */
interface EventMarkTable {
  at: number;
  pos: number;
}
