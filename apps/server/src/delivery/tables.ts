declare module '../database/tables.ts' {
  interface Tables extends DeliveryTables {}
}

/** The tables of the delivery: cursors, retries with dead letters, the attempt log and replays. */
export interface DeliveryTables {
  integration_state: IntegrationStateTable;
  delivery_parked: DeliveryParkedTable;
  delivery_log: DeliveryLogTable;
  delivery_replay: DeliveryReplayTable;
}

interface IntegrationStateTable {
  integration_id: number;
  /** The position of the next read: all events before it are completed. */
  position: string;
  /** The highest number of an event that was read. */
  pos: number;
  /** JSON list of the numbers of completed events after the position. */
  done_ahead: string;
  /** The revision of the configuration to which the health refers. */
  revision: number;
  state: 'HEALTHY' | 'DEGRADED' | 'SUSPENDED';
  reason: string;
  since: Date;
  failing_since: Date | null;
  last_success_at: Date | null;
  /** Earlier events are not delivered. */
  from_at: Date;
  keep_order: boolean;
  max_in_flight: number;
}

/**
 * An event in the retry queue (`dead_at` is null) or a dead letter. `parked` in tables and API = retry queue and dead
 * letters; the outcome `RETRIED` = failed, will be tried again.
 */
export interface DeliveryParkedTable {
  integration_id: number;
  pos: number;
  event_id: string;
  dev_eui: string;
  application_id: number;
  at: Date;
  type: string;
  /** A copy: the event log may delete the event earlier. */
  payload: string;
  /** JSON list of the completed parts of the delivery. */
  done: string;
  attempts: number;
  /** Failed attempts; the live failure that moved the event to the retry queue counts as 1, and a requeue sets 0. */
  failures: number;
  next_at: Date;
  /** The status of the last response; 0 without one. */
  status: number;
  message: string;
  /** When it became a dead letter. */
  dead_at: Date | null;
  /** When a user last requeued it: its age counts from then on. */
  revived_at: Date | null;
}

/** The attempt log, a ring of 500 lines for each integration: `slot` is `seq` modulo 500. */
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

export interface DeliveryReplayTable {
  id: string;
  integration_id: number;
  from_at: Date;
  to_at: Date;
  /** Empty: all devices. */
  dev_eui: string;
  /** JSON list of event types; an empty one selects all. */
  types: string;
  position: string;
  state: 'RUNNING' | 'DONE' | 'CANCELLED';
  events: number;
  sent: number;
  failed: number;
  /** JSON list of the numbers of completed events after the position. */
  done_ahead: string;
  created_at: Date;
}
