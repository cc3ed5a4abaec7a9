import type { DueKind } from '@hilltop/network-server';
import type { Generated } from 'kysely';

/** Tables of gateways, devices and the embedded network server. */
export interface NetworkTables {
  gateway: GatewayTable;
  gateway_ping: GatewayPingTable;
  gateway_ping_rx: GatewayPingRXTable;
  gateway_ping_try: GatewayPingTryTable;
  device: DeviceTable;
  device_keys: DeviceKeysTable;
  last_error: LastErrorTable;
  event: EventTable;
  event_mark: EventMarkTable;
  metric: MetricTable;
  metric_fact: MetricFactTable;
  metric_fold: MetricFoldTable;
  retention: RetentionTable;
  ns_record: RecordTable;
  ns_session: SessionStateTable;
  ns_queue_item: QueueItemTable;
  ns_activation: ActivationTable;
  ns_journal: JournalTable;
  ns_due: DueTable;
  multicast_group: MulticastGroupTable;
  multicast_group_device: MulticastGroupDeviceTable;
  ns_multicast_counter: MulticastCounterTable;
  ns_multicast_member: MulticastMemberTable;
  ns_multicast_item: MulticastItemTable;
  ns_multicast_rest: MulticastRestTable;
}

interface Times {
  created_at: Date;
  updated_at: Date;
}

export interface GatewayTable extends Times {
  id: string;
  organization_id: number;
  network_server_id: number;
  gateway_profile_id: string | null;
  service_profile_id: string | null;
  name: string;
  description: string;
  discovery_enabled: boolean;
  latitude: number;
  longitude: number;
  altitude: number;
  location_source: string;
  location_accuracy: number;
  tags: Record<string, string>;
  /** What the gateway said of itself with its last statistics. */
  metadata: Record<string, string>;
  first_seen_at: Date | null;
  last_seen_at: Date | null;
  /** Lower-case text that `search` looks through. */
  search_text: string;
}

/** The last ping of each gateway that has left. */
export interface GatewayPingTable {
  gateway_id: string;
  /** Eight hex digits. */
  mic: string;
  frequency: number;
  dr: number;
  created_at: Date;
}

/** The last turn of each gateway to send a ping. */
export interface GatewayPingTryTable {
  gateway_id: string;
  mic: string;
  frequency: number;
  dr: number;
  tried_at: Date;
  /** A `PingOutcome`. */
  outcome: string;
}

/** Who heard it. */
export interface GatewayPingRXTable {
  ping_gateway_id: string;
  gateway_id: string;
  received_at: Date;
  rssi: number;
  lora_snr: number;
  latitude: number;
  longitude: number;
  altitude: number;
}

export interface DeviceTable extends Times {
  dev_eui: string;
  application_id: number;
  device_profile_id: string;
  name: string;
  description: string;
  tags: Record<string, string>;
  variables: Record<string, string>;
  search_text: string;
  /** When it was last seen, moved once a minute at most: what indexes may hold. */
  seen_mark: Date | null;
  /** Written with every uplink: no index may hold the next columns. */
  last_seen_at: Date | null;
  dr: number | null;
  /** Events but errors ever written for the device: the number of the last one. */
  event_seq: Generated<number>;
  /** The position of that event, and of the one before it. */
  last_event: number | null;
  previous_event: number | null;
  /** The time of the last event, be it an error: milliseconds since 1970, which never go back. */
  stream_ms: Generated<number>;
  /** Events up to this position are of a device that had its EUI before. */
  log_from: Generated<number>;
  dev_addr: Generated<string>;
  /** Sealed; empty before the first activation. */
  app_s_key: Uint8Array;
  battery_level: number | null;
  external_power_source: Generated<boolean>;
  margin: number | null;
  latitude: number | null;
  longitude: number | null;
  altitude: number | null;
}

/** Root keys, sealed. */
export interface DeviceKeysTable extends Times {
  dev_eui: string;
  nwk_key: Uint8Array;
  app_key: Uint8Array;
  /** The last one used; counted and stored before a join is answered, never given back. */
  join_nonce: Generated<number>;
}

/** The log of all events, appended to only and cut at its old end. */
export interface EventTable {
  /** Grows; never given twice. */
  pos: Generated<number>;
  /** Milliseconds since 1970: the first part of its stream id. */
  at: number;
  application_id: number;
  dev_eui: string;
  /** The second part: `event_seq` of the device at the time. */
  seq: number;
  type: string;
  /** Protobuf JSON. */
  payload: string;
  /** Position of the event before it of its device: of a device that is gone, of an error and of the first: null. */
  previous: number | null;
}

/** How far the log had come at a time, by which old events are removed: theirs may be of a clock that was wrong. */
export interface EventMarkTable {
  at: number;
  pos: number;
}

/** The last error of each kind of a device, and how often errors of its kind have come. */
export interface LastErrorTable {
  dev_eui: string;
  /** The number of `integration.ErrorType`. */
  kind: number;
  at: number;
  seq: number;
  payload: string;
  count: number;
}

/** Counters of one device or gateway (`subject`) over one period. */
export interface MetricTable {
  subject: string;
  interval: string;
  /** Milliseconds since 1970. */
  start: number;
  /** JSON: counter name to value. */
  counters: string;
}

/** What happened and is not yet added to `metric`: appended with each event, folded in by the hundred. */
export interface MetricFactTable {
  id: Generated<number>;
  subject: string;
  at: number;
  counters: string;
}

/** One row: facts up to number `upto` are added to the buckets of subjects up to `subject`; of all others none are. */
export interface MetricFoldTable {
  id: number;
  upto: number;
  subject: string;
}

/** One row: how far the time has come by which old rows are removed. */
export interface RetentionTable {
  id: number;
  at: number;
}

export interface RecordTable {
  network_server_id: number;
  kind: string;
  id: string;
  /** JSON, sealed: routing-profiles and gateways carry keys. */
  body: Uint8Array;
}

export interface SessionStateTable {
  network_server_id: number;
  dev_eui: string;
  role: 'current' | 'pending';
  id: string;
  revision: number;
  dev_addr: string;
  /** JSON, all but the keys. */
  body: string;
  /** Sealed JSON. */
  keys: Uint8Array;
}

export interface QueueItemTable {
  network_server_id: number;
  dev_eui: string;
  id: string;
  f_cnt: number;
  body: string;
}

export interface ActivationTable {
  id: Generated<number>;
  network_server_id: number;
  dev_eui: string;
  join_eui: string;
  join_type: string;
  dev_nonce: number;
  dev_addr: string;
  at: number;
}

export interface JournalTable {
  id: Generated<number>;
  network_server_id: number;
  copy: string;
  /** The instance that has it in hand; null when there is one alone. */
  holder: string | null;
  /** By the clock of PostgreSQL; SQLite leaves it empty. */
  held_since: Generated<Date | null>;
}

/** Work of the network server behind the row, and until somebody has settled it, when it is to be taken up (again). */
export interface DueTable {
  network_server_id: number;
  kind: DueKind;
  key: string;
  /** Milliseconds since 1970. */
  due_at: number;
  /** Counts how often it was asked for and taken: a taker settles only its own turn. */
  turn: number;
}

/** What the application side keeps of a group; the rest is at its network server. */
export interface MulticastGroupTable extends Times {
  id: string;
  application_id: number;
  name: string;
  /** Sealed. */
  mc_app_s_key: Uint8Array;
}

export interface MulticastGroupDeviceTable {
  multicast_group_id: string;
  dev_eui: string;
}

export interface MulticastCounterTable {
  network_server_id: number;
  group_id: string;
  /** Of the next downlink. */
  f_cnt: number;
}

export interface MulticastMemberTable {
  network_server_id: number;
  group_id: string;
  dev_eui: string;
}

export interface MulticastRestTable {
  network_server_id: number;
  /** A gateway or a group. */
  of: string;
  /** Milliseconds since 1970. */
  until: number;
}

export interface MulticastItemTable {
  network_server_id: number;
  group_id: string;
  f_cnt: number;
  gateway_id: string;
  at: number;
  /** JSON of the rest; what is sent is encrypted with the McAppSKey. */
  body: string;
}
