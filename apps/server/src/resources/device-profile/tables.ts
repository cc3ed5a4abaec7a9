import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    device_profile: DeviceProfileTable;
    codec_vectors: CodecVectorsTable;
  }
}

export interface DeviceProfileTable extends RowTimes {
  id: string;
  organization_id: number;
  network_server_id: number;
  name: string;
  payload_codec: string;
  payload_encoder_script: string;
  payload_decoder_script: string;
  tags: Record<string, string>;
  uplink_interval_ms: number;
  /** Copies of what its network server stores; null where a release without these columns created it. */
  mac_version: string | null;
  supports_class_b: boolean | null;
  supports_class_c: boolean | null;
}

export interface CodecVectorsTable {
  device_profile_id: string;
  /** A JSON list. */
  vectors: string;
}
