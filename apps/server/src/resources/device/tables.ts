import type { Generated } from 'kysely';
import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    device: DeviceTable;
    device_keys: DeviceKeysTable;
    former_join_nonce: FormerJoinNonceTable;
  }
}

export interface DeviceTable extends RowTimes {
  dev_eui: string;
  application_id: number;
  device_profile_id: string;
  name: string;
  description: string;
  tags: Record<string, string>;
  variables: Record<string, string>;
  search_text: string;
  /** Lags behind `last_seen_at` by at most a minute, so that indexes may contain it. */
  seen_mark: Date | null;
  /** Written with every uplink, like the next columns: no index may contain them. */
  last_seen_at: Date | null;
  dr: number | null;
  /** The number of the last event of the device, errors not counted. */
  event_seq: Generated<number>;
  /** The position of that event, and of the previous one. */
  last_event: number | null;
  previous_event: number | null;
  /** The time of the last event, errors included: milliseconds since 1970, which never decrease. */
  stream_ms: Generated<number>;
  /** Events up to this position belong to an earlier device with the same EUI. */
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
  /** As its network server stores it; null until it is known. */
  is_disabled: boolean | null;
  /** The share of lost uplinks in percent, of its last two days; null as long as none was lost. */
  loss: number | null;
  /** The mean time between two uplinks; the last ones count most. Written with every uplink, like the next four columns. */
  usual_gap_ms: Generated<number | null>;
  /** A bit for each of the last 50 expected uplinks, the last one lowest: 1 for a lost one. */
  lost_bits: Generated<number>;
  /** A bit for each of the last 5 uplinks: 1 where the codec failed. */
  codec_error_bits: Generated<number>;
  /** The only gateway that has received its uplinks since `sole_since`; empty for several. Milliseconds since 1970. */
  sole_gateway: Generated<string>;
  sole_since: Generated<number>;
  /** The link margin of the device status before the last one. */
  previous_margin: Generated<number | null>;
  /** When its last session began. */
  joined_at: Generated<Date | null>;
}

/** Root keys, sealed. */
interface DeviceKeysTable extends RowTimes {
  dev_eui: string;
  nwk_key: Uint8Array;
  app_key: Uint8Array;
  /** The last used join nonce: incremented and stored before a join is answered, never decremented. */
  join_nonce: Generated<number>;
}

/** Of a device whose keys were deleted. */
interface FormerJoinNonceTable {
  dev_eui: string;
  join_nonce: number;
}
