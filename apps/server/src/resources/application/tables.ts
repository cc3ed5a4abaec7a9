import type { Generated } from 'kysely';
import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    application: ApplicationTable;
  }
}

export interface ApplicationTable extends RowTimes {
  id: Generated<number>;
  organization_id: number;
  service_profile_id: string;
  name: string;
  description: string;
  payload_codec: string;
  payload_encoder_script: string;
  payload_decoder_script: string;
  /** Certificate last issued for the application's MQTT client; empty before. */
  mqtt_tls_cert: Generated<string>;
  /** Lower-case text that `search` looks through. */
  search_text: string;
  /** Updated like `organization.device_count`. */
  device_count: Generated<number>;
}
