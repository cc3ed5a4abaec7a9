/** The tables and columns that an import reads. The import reports anything missing before it reads rows. */

export interface SourceTable {
  /** The selected columns: a name, or an expression with its name. */
  columns: readonly string[];
  order: string;
}

export interface SourceSchema {
  what: string;
  version: number;
  /** The release that upgrades older databases to this schema. */
  release: string;
  tables: Readonly<Record<string, SourceTable>>;
}

const times = ['created_at', 'updated_at'] as const;
const hstore = (name: string) => `hstore_to_json(${name})::text as ${name}`;

/** Application Server 3.16 and 3.17. */
export const applicationServerSchema = {
  what: 'application server',
  version: 60,
  release: 'Application Server 3.17',
  tables: {
    user: {
      columns: [
        ...times,
        ...['id', 'email', 'password_hash', 'session_ttl', 'is_active', 'is_admin', 'note', 'external_id'],
        'email_verified',
      ],
      order: 'id',
    },
    organization: {
      columns: [
        ...times,
        ...['id', 'name', 'display_name', 'can_have_gateways', 'max_device_count', 'max_gateway_count'],
      ],
      order: 'id',
    },
    organization_user: {
      columns: [...times, 'id', 'user_id', 'organization_id', 'is_admin', 'is_device_admin', 'is_gateway_admin'],
      order: 'id',
    },
    network_server: {
      columns: [
        ...times,
        ...['id', 'name', 'server', 'ca_cert', 'tls_cert', 'tls_key'],
        ...['routing_profile_ca_cert', 'routing_profile_tls_cert', 'routing_profile_tls_key'],
        ...['gateway_discovery_enabled', 'gateway_discovery_interval'],
        ...['gateway_discovery_tx_frequency', 'gateway_discovery_dr'],
      ],
      order: 'id',
    },
    service_profile: {
      columns: [...times, 'service_profile_id', 'organization_id', 'network_server_id', 'name'],
      order: 'service_profile_id',
    },
    device_profile: {
      columns: [
        ...times,
        ...['device_profile_id', 'network_server_id', 'organization_id', 'name', 'payload_codec'],
        ...['payload_encoder_script', 'payload_decoder_script', hstore('tags'), 'uplink_interval'],
      ],
      order: 'device_profile_id',
    },
    gateway_profile: {
      columns: [...times, 'gateway_profile_id', 'network_server_id', 'name', 'stats_interval'],
      order: 'gateway_profile_id',
    },
    application: {
      columns: [
        ...['id', 'name', 'description', 'organization_id', 'service_profile_id', 'payload_codec'],
        ...['payload_encoder_script', 'payload_decoder_script', 'mqtt_tls_cert'],
      ],
      order: 'id',
    },
    integration: {
      columns: [...times, 'id', 'application_id', 'kind', 'settings'],
      order: 'id',
    },
    api_key: {
      columns: ['id', 'created_at', 'name', 'is_admin', 'organization_id', 'application_id'],
      order: 'id',
    },
    gateway: {
      columns: [
        ...times,
        ...['mac', 'name', 'description', 'organization_id', 'network_server_id', 'gateway_profile_id'],
        ...['service_profile_id', 'ping', 'first_seen_at', 'last_seen_at', 'latitude', 'longitude', 'altitude'],
        ...[hstore('tags'), hstore('metadata')],
      ],
      order: 'mac',
    },
    device: {
      columns: [
        ...times,
        ...['dev_eui', 'application_id', 'device_profile_id', 'name', 'description', 'last_seen_at', 'dr'],
        ...['device_status_battery', 'device_status_margin', 'device_status_external_power_source'],
        ...['latitude', 'longitude', 'altitude', 'dev_addr', 'app_s_key', hstore('variables'), hstore('tags')],
      ],
      order: 'dev_eui',
    },
    device_keys: {
      columns: [...times, 'dev_eui', 'nwk_key', 'app_key', 'join_nonce'],
      order: 'dev_eui',
    },
    multicast_group: {
      columns: [...times, 'id', 'name', 'mc_app_s_key', 'application_id'],
      order: 'id',
    },
    device_multicast_group: {
      columns: ['dev_eui', 'multicast_group_id'],
      order: 'multicast_group_id, dev_eui',
    },
  },
} as const satisfies SourceSchema;

/** Network Server 3.13 to 3.16. */
export const networkServerSchema = {
  what: 'network server',
  version: 33,
  release: 'Network Server 3.16',
  tables: {
    service_profile: {
      columns: [
        ...times,
        ...['service_profile_id', 'ul_rate', 'ul_bucket_size', 'ul_rate_policy', 'dl_rate', 'dl_bucket_size'],
        ...['dl_rate_policy', 'add_gw_metadata', 'dev_status_req_freq', 'report_dev_status_battery'],
        ...['report_dev_status_margin', 'dr_min', 'dr_max', 'channel_mask', 'pr_allowed', 'hr_allowed', 'ra_allowed'],
        ...['nwk_geo_loc', 'target_per', 'min_gw_diversity', 'gws_private'],
      ],
      order: 'service_profile_id',
    },
    device_profile: {
      columns: [
        ...times,
        ...['device_profile_id', 'supports_class_b', 'class_b_timeout', 'ping_slot_period', 'ping_slot_dr'],
        ...['ping_slot_freq', 'supports_class_c', 'class_c_timeout', 'mac_version', 'reg_params_revision'],
        ...['rx_delay_1', 'rx_dr_offset_1', 'rx_data_rate_2', 'rx_freq_2', 'factory_preset_freqs', 'max_eirp'],
        ...['max_duty_cycle', 'supports_join', 'supports_32bit_fcnt', 'adr_algorithm_id'],
      ],
      order: 'device_profile_id',
    },
    routing_profile: { columns: ['routing_profile_id', 'as_id'], order: 'routing_profile_id' },
    gateway_profile: {
      columns: [...times, 'gateway_profile_id', 'channels', 'stats_interval'],
      order: 'gateway_profile_id',
    },
    gateway_profile_extra_channel: {
      columns: ['id', 'gateway_profile_id', 'modulation', 'frequency', 'bandwidth', 'bitrate', 'spreading_factors'],
      order: 'id',
    },
    gateway: {
      columns: [...times, 'gateway_id', 'routing_profile_id', 'first_seen_at', 'last_seen_at', 'tls_cert'],
      order: 'gateway_id',
    },
    gateway_board: { columns: ['gateway_id', 'id', 'fpga_id', 'fine_timestamp_key'], order: 'gateway_id, id' },
    device: {
      columns: [
        ...times,
        ...['dev_eui', 'service_profile_id', 'routing_profile_id', 'skip_fcnt_check', 'reference_altitude', 'mode'],
        'is_disabled',
      ],
      order: 'dev_eui',
    },
    device_activation: {
      columns: ['id', 'created_at', 'dev_eui', 'join_eui', 'dev_addr', 'dev_nonce', 'join_req_type'],
      order: 'id',
    },
    device_queue: {
      columns: [
        ...['id', 'created_at', 'dev_addr', 'dev_eui', 'frm_payload', 'f_cnt', 'f_port', 'confirmed', 'is_pending'],
        ...['emit_at_time_since_gps_epoch', 'timeout_after', 'retry_after'],
      ],
      order: 'id',
    },
    multicast_group: {
      columns: [
        ...times,
        ...['id', 'mc_addr', 'mc_nwk_s_key', 'f_cnt', 'group_type', 'dr', 'frequency', 'ping_slot_period'],
        'routing_profile_id',
      ],
      order: 'id',
    },
    multicast_queue: { columns: ['id', 'multicast_group_id'], order: 'id' },
  },
} as const satisfies SourceSchema;

/** The name of a selected column. */
export const columnName = (column: string): string => /\((\w+)\)/.exec(column)?.[1] ?? column;
