import type { DueKind } from '@hilltop/network-server';
import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    ns_record: RecordTable;
    ns_session: SessionStateTable;
    ns_queue_item: QueueItemTable;
    ns_activation: ActivationTable;
    ns_journal: JournalTable;
    ns_due: DueTable;
    ns_multicast_counter: MulticastCounterTable;
    ns_multicast_member: MulticastMemberTable;
    ns_multicast_item: MulticastItemTable;
    ns_multicast_rest: MulticastRestTable;
    duty_cycle_use: DutyCycleUseTable;
  }
}

interface RecordTable {
  network_server_id: number;
  kind: string;
  id: string;
  /** Sealed JSON: routing-profiles and gateways contain keys. */
  body: Uint8Array;
}

export interface SessionStateTable {
  network_server_id: number;
  dev_eui: string;
  role: 'current' | 'pending' | 'replaced';
  id: string;
  revision: number;
  dev_addr: string;
  /** JSON of everything but the keys. */
  body: string;
  /** Sealed JSON. */
  keys: Uint8Array;
}

interface QueueItemTable {
  network_server_id: number;
  dev_eui: string;
  id: string;
  f_cnt: number;
  body: string;
}

interface ActivationTable {
  id: Generated<number>;
  network_server_id: number;
  dev_eui: string;
  join_eui: string;
  join_type: string;
  dev_nonce: number;
  dev_addr: string;
  at: number;
}

interface JournalTable {
  id: Generated<number>;
  network_server_id: number;
  copy: string;
  /** The instance that processes it; null when there is a single instance. */
  holder: string | null;
  /** The clock of PostgreSQL; SQLite leaves it empty. */
  held_since: Generated<Date | null>;
}

/** Due work: what the network server has to do, and when a scheduler starts it (again) unless it is settled before. */
interface DueTable {
  network_server_id: number;
  kind: DueKind;
  key: string;
  /** Milliseconds since 1970. */
  due_at: number;
  /** Incremented each time it is requested or started: settling applies only to the run that was started. */
  turn: number;
}

interface MulticastCounterTable {
  network_server_id: number;
  group_id: string;
  /** The counter of the next downlink. */
  f_cnt: number;
}

interface MulticastMemberTable {
  network_server_id: number;
  group_id: string;
  dev_eui: string;
}

export interface MulticastItemTable {
  network_server_id: number;
  group_id: string;
  f_cnt: number;
  gateway_id: string;
  at: number;
  /** JSON of the other fields; the payload is encrypted with the McAppSKey. */
  body: string;
}

interface MulticastRestTable {
  network_server_id: number;
  /** A gateway or a group. */
  of: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** What one run of a server ordered a gateway to send in the last hour. */
interface DutyCycleUseTable {
  gateway_id: string;
  /** Random: a server that starts again adds rows beside those of its last run. */
  run: string;
  /** Minutes since 1970: the last one with an order. */
  last_minute: number;
  /** The run has ended and ordered nothing since. */
  is_final: boolean;
  /** JSON: `[sub-band, [[minute, microseconds], ...]]` for each sub-band. */
  ordered: string;
}
