import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables extends HistoryTables {}
}

/** On SQLite in a file of their own, on PostgreSQL in the database. */
export interface HistoryTables {
  event_block: EventBlockTable;
  history_state: HistoryStateTable;
  series_day: SeriesDayTable;
  series_device: SeriesDeviceTable;
}

/** Packed events of a device, in their order. Blocks of a device do not overlap. */
interface EventBlockTable {
  id: Generated<number>;
  dev_eui: string;
  from_at: number;
  from_seq: number;
  to_at: number;
  to_seq: number;
  /** Positions in the event log, which distinguish a device from an earlier one with its DevEUI. */
  from_pos: number;
  to_pos: number;
  count: number;
  /** Bits of the kinds that it has. */
  kinds: number;
  /** The size of the events before packing. */
  unpacked: number;
  bytes: Uint8Array;
}

/** One row. */
interface HistoryStateTable {
  id: number;
  /** All events of the log up to this position are sealed. */
  sealed_pos: number;
  /** Sums over all blocks. */
  events: number;
  bytes: number;
  /** Of the series. */
  series_bytes: Generated<number>;
}

/** The statistics of the values of a device by hour. They stay when the events are removed. */
interface SeriesDayTable {
  dev_eui: string;
  /** Days since 1970. */
  day: number;
  /** Positions in the event log of its first and last event. */
  from_pos: number;
  to_pos: number;
  bytes: Uint8Array;
}

/** The fields of a device that has series. */
interface SeriesDeviceTable {
  dev_eui: string;
  /** The position of its first event. */
  from_pos: number;
  /** JSON of `KnownFields`. */
  fields: string;
}
