import type { ColumnType, Generated } from 'kysely';
import type { DeliveryTables } from '../delivery/tables.ts';
import type { NetworkTables } from '../network/tables.ts';

/** Every table of the database. Only a resource's `store.ts` turns rows into resources and back. */
export type Tables = CoreTables & NetworkTables & DeliveryTables;

interface CoreTables {
  user: UserTable;
  session: SessionTable;
  used_sign_on: UsedSignOnTable;
  organization: OrganizationTable;
  organization_user: OrganizationUserTable;
  api_key: APIKeyTable;
  import_v3: ImportV3Table;
  network_server: NetworkServerTable;
  network_radio: NetworkRadioTable;
  registered_region: RegisteredRegionTable;
  gateway_profile: GatewayProfileTable;
  service_profile: ServiceProfileTable;
  device_profile: DeviceProfileTable;
  application: ApplicationTable;
  integration: IntegrationTable;
  loracloud_frames: LoRaCloudFramesTable;
  key_check: KeyCheckTable;
  instance: InstanceTable;
  installation: InstallationTable;
  own_certificate: OwnCertificateTable;
  client_certificate: ClientCertificateTable;
  command_taken: CommandTakenTable;
  organization_search: SearchTable;
  application_search: SearchTable;
  gateway_search: SearchTable;
  device_search: SearchTable;
}

/** An instance that works on this database, or did: which are there, locks say (`cluster/`). */
interface InstanceTable {
  id: string;
  /** The second half of the key of its lock. */
  lock_number: number;
  name: string;
  version: string;
  started_at: Date;
  /** JSON: what all instances must have alike. */
  agreement: string;
}

/** The last MQTT messages of each sender that became downlinks: `slot` is the packet identifier modulo their number. */
interface CommandTakenTable {
  sender: string;
  slot: number;
  message: string;
  until: Date;
}

/** Full-text index of a table, on SQLite only; kept by triggers. `key` is the primary key of the row found. */
interface SearchTable {
  rowid: Generated<number>;
  key: number | string;
}

interface Times {
  created_at: Date;
  updated_at: Date;
}

export interface UserTable extends Times {
  id: Generated<number>;
  email: string;
  external_id: string | null;
  email_verified: boolean;
  /** PHC text `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; null when the person signs in elsewhere. */
  password_hash: string | null;
  is_admin: boolean;
  is_active: boolean;
  session_ttl_minutes: number;
  note: string;
}

/** A signed-in browser: a token is good only while its row is here. */
export interface SessionTable {
  id: string;
  user_id: number;
  created_at: Date;
  expires_at: Date;
  /** To the minute; null in rows from before this was kept. */
  last_used_at: Date | null;
  /** Where the sign-in came from, and what the browser said it is. */
  address: Generated<string>;
  agent: Generated<string>;
}

/** A single sign-on that came back from the provider: its state is not good again. */
export interface UsedSignOnTable {
  id: string;
  expires_at: Date;
}

export interface OrganizationTable extends Times {
  id: Generated<number>;
  name: string;
  display_name: string;
  can_have_gateways: boolean;
  /** 0 means no limit. */
  max_gateway_count: number;
  max_device_count: number;
  /** Kept by whoever creates and deletes them, in the same transaction, so that nobody has to count rows. */
  gateway_count: Generated<number>;
  device_count: Generated<number>;
}

export interface OrganizationUserTable extends Times {
  organization_id: number;
  user_id: number;
  is_admin: boolean;
  is_device_admin: boolean;
  is_gateway_admin: boolean;
}

export interface APIKeyTable {
  id: string;
  name: string;
  is_admin: boolean;
  organization_id: number | null;
  application_id: number | null;
  created_at: Date;
  /** Null: never. */
  expires_at: Date | null;
  /** Its token was signed by version 3. */
  is_from_v3: Generated<boolean>;
}

/** One row, once somebody has begun to move in from version 3. */
export interface ImportV3Table {
  id: number;
  /** Of the installation that moves in: another one is refused. */
  application_server_id: string;
  /** By which version 3 signed its tokens; sealed. */
  token_key: Uint8Array;
  /** The one under way, or the last one. */
  phase: string;
  started_at: Date;
  /** When everything was last written and looked at again. */
  copied_at: Date | null;
  /** From then on nothing is written any more. */
  finished_at: Date | null;
}

export interface NetworkServerTable extends Times {
  id: Generated<number>;
  name: string;
  /** `host:port`, or `embedded:<region>` for the ones inside this process. */
  server: string;
  ca_cert: string;
  tls_cert: string;
  /** Sealed by `secrets.ts`; empty when there is none. */
  tls_key: Uint8Array;
  routing_profile_ca_cert: string;
  routing_profile_tls_cert: string;
  routing_profile_tls_key: Uint8Array;
  gateway_discovery_enabled: boolean;
  gateway_discovery_interval: number;
  gateway_discovery_tx_frequency: number;
  gateway_discovery_dr: number;
}

/** Of those inside this process; without a row nothing was set. */
export interface NetworkRadioTable {
  network_server_id: number;
  settings: ColumnType<unknown, string, string>;
  updated_at: Date;
}

/** Entries of HILLTOP_REGION that have become a network server, which may be gone again. */
export interface RegisteredRegionTable {
  entry: string;
}

export interface GatewayProfileTable extends Times {
  id: string;
  network_server_id: number;
  name: string;
  stats_interval_ms: number;
}

export interface ServiceProfileTable extends Times {
  id: string;
  organization_id: number;
  network_server_id: number;
  name: string;
}

export interface DeviceProfileTable extends Times {
  id: string;
  organization_id: number;
  network_server_id: number;
  name: string;
  payload_codec: string;
  payload_encoder_script: string;
  payload_decoder_script: string;
  tags: Record<string, string>;
  uplink_interval_ms: number;
}

export interface ApplicationTable extends Times {
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
  /** Kept like `organization.device_count`. */
  device_count: Generated<number>;
}

export interface IntegrationTable extends Times {
  id: Generated<number>;
  /** Null for those of the whole installation. */
  application_id: number | null;
  kind: string;
  /** Its message in the contract, with nothing where a secret is. */
  config: Record<string, unknown>;
  /** JSON of the secrets by where they stand in `config`, sealed. */
  secrets: Uint8Array;
  /** Grows with each change. */
  revision: Generated<number>;
}

/** What waits to be located together with what comes. */
export interface LoRaCloudFramesTable {
  dev_eui: string;
  buffer: { frames: { eventID: string; at: string; rxInfo: unknown[] }[] };
}

/** One row: a known text sealed with the key of this database. */
export interface KeyCheckTable {
  id: number;
  sealed: Uint8Array;
  /** Of the key by which tokens are signed. */
  token_mark: string | null;
}

/** One row, made with the table. */
export interface InstallationTable {
  /** A UUID. */
  application_server_id: string;
  /** The oldest version that can work with this schema. */
  schema_compatible_from: Generated<string>;
}

/** A certificate that stands for this server, with its key. */
export interface OwnCertificateTable {
  /** `server`, `applications` and `gateways` are authorities, `mqtt` is what the MQTT listener shows. */
  name: string;
  /** PEM. */
  cert: string;
  /** PKCS #8, sealed. */
  key: Uint8Array;
  created_at: Date;
}

/** A certificate by which somebody signs in. */
export interface ClientCertificateTable {
  /** Lower-case hexadecimal. */
  serial: string;
  /** Who signed it: `applications`, `gateways`, or `settings` for the authority of the settings. */
  authority: string;
  /** Of a program. */
  application_id: number | null;
  /** Of a gateway. */
  gateway_id: Generated<string | null>;
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  /** To the hour. */
  last_used_at: Generated<Date | null>;
}
