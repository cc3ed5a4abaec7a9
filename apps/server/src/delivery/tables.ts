declare module '../database/tables.ts' {
  interface Tables extends DeliveryTables {}
}

/** Tables of the delivery engine: where integrations stand, and what they had trouble with. */
export interface DeliveryTables {
  integration_state: IntegrationStateTable;
  delivery_parked: ParkedTable;
  delivery_log: DeliveryLogTable;
  delivery_replay: ReplayTable;
  delivery_effect: EffectTable;
}

interface IntegrationStateTable {
  integration_id: number;
  /** Where to go on reading: all before it is done or parked. */
  position: string;
  /** The number of the last event that was read. */
  pos: number;
  /** JSON list of numbers. */
  done_ahead: string;
  /** Of the configuration the rest is about. */
  revision: number;
  state: 'HEALTHY' | 'DEGRADED' | 'SUSPENDED';
  reason: string;
  since: Date;
  failing_since: Date | null;
  last_success_at: Date | null;
  /** Earlier events are none of its business: it was made or went on then. */
  from_at: Date;
  keep_order: boolean;
  max_in_flight: number;
}

/** An event that could not be delivered while others could, or that waits behind such a one of its device. */
export interface ParkedTable {
  integration_id: number;
  pos: number;
  event_id: string;
  dev_eui: string;
  application_id: number;
  at: Date;
  type: string;
  /** Copied: the log may be cut meanwhile. */
  payload: string;
  /** JSON list of the parts of the delivery that are done. */
  done: string;
  attempts: number;
  /** Since it was set aside. */
  failures: number;
  next_at: Date;
  /** Of the last answer; 0 when there was none. */
  status: number;
  message: string;
  /** When it was given up. */
  dead_at: Date | null;
  /** When somebody had it tried again: from then on it grows old. */
  revived_at: Date | null;
}

/** The last lines of each integration, in a ring: `slot` is `seq` modulo its size. */
export interface DeliveryLogTable {
  integration_id: number;
  slot: number;
  seq: number;
  at: Date;
  event_id: string;
  type: string;
  dev_eui: string;
  outcome: string;
  status: number;
  message: string;
  ms: number;
  attempt: number;
  bytes: number;
  excerpt: string;
}

export interface ReplayTable {
  id: string;
  integration_id: number;
  from_at: Date;
  to_at: Date;
  /** Empty: of all devices. */
  dev_eui: string;
  /** JSON list; an empty one means all. */
  types: string;
  position: string;
  state: 'RUNNING' | 'DONE' | 'CANCELLED';
  events: number;
  sent: number;
  failed: number;
  /** JSON list of numbers behind the position that are done. */
  done_ahead: string;
  created_at: Date;
}

/** What an answer to an event has caused was written. */
interface EffectTable {
  integration_id: number;
  event_id: string;
  at: Date;
}
