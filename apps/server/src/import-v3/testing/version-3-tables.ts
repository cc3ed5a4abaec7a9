/** The tables of version 3: Application Server schema 60, Network Server schema 33. */

const times = 'created_at timestamptz not null default now(), updated_at timestamptz not null default now()';
const zeros = (length: number) => `default '\\x${'00'.repeat(length)}'`;

export const applicationServerTables = `
create extension if not exists hstore;
create extension if not exists pg_trgm;
create table schema_migrations (version bigint primary key, dirty boolean not null);
insert into schema_migrations values (60, false);
create table "user" (id bigserial primary key, ${times}, email_old text not null default '', email text not null unique,
  password_hash varchar(200) not null default '', session_ttl bigint not null default 0, is_active boolean not null default true,
  is_admin boolean not null default false, note text not null default '', external_id text unique,
  email_verified boolean not null default false);
create table organization (id bigserial primary key, ${times}, name varchar(100) not null unique,
  display_name varchar(100) not null default '', can_have_gateways boolean not null default true,
  max_device_count integer not null default 0, max_gateway_count integer not null default 0);
create table organization_user (id bigserial primary key, ${times}, user_id bigint not null references "user",
  organization_id bigint not null references organization, is_admin boolean not null default false,
  is_device_admin boolean not null default false, is_gateway_admin boolean not null default false,
  unique (user_id, organization_id));
create table network_server (id bigserial primary key, ${times}, name varchar(100) not null,
  server varchar(255) not null, ca_cert text not null default '', tls_cert text not null default '',
  tls_key text not null default '', routing_profile_ca_cert text not null default '',
  routing_profile_tls_cert text not null default '', routing_profile_tls_key text not null default '',
  gateway_discovery_enabled boolean not null default false, gateway_discovery_interval integer not null default 0,
  gateway_discovery_tx_frequency integer not null default 0, gateway_discovery_dr smallint not null default 0);
create table service_profile (service_profile_id uuid primary key, organization_id bigint not null references organization,
  network_server_id bigint not null references network_server, ${times}, name varchar(100) not null);
create table device_profile (device_profile_id uuid primary key, network_server_id bigint not null references network_server,
  organization_id bigint not null references organization, ${times}, name varchar(100) not null,
  payload_codec text not null default '', payload_encoder_script text not null default '',
  payload_decoder_script text not null default '', tags hstore, uplink_interval bigint not null default 0);
create table gateway_profile (gateway_profile_id uuid primary key, network_server_id bigint not null references network_server,
  ${times}, name varchar(100) not null, stats_interval bigint not null default 0);
create table application (id bigserial primary key, name varchar(100) not null, description text not null default '',
  organization_id bigint not null references organization, service_profile_id uuid not null references service_profile,
  payload_codec text not null default '', payload_encoder_script text not null default '',
  payload_decoder_script text not null default '', mqtt_tls_cert bytea, unique (name, organization_id));
create table integration (id bigserial primary key, ${times}, application_id bigint not null references application,
  kind varchar(20) not null, settings jsonb, unique (kind, application_id));
create table api_key (id uuid primary key, created_at timestamptz not null default now(), name varchar(100) not null,
  is_admin boolean not null default false, organization_id bigint references organization,
  application_id bigint references application);
create table gateway (mac bytea primary key, ${times}, name varchar(100) not null, description text not null default '',
  organization_id bigint not null references organization, network_server_id bigint not null references network_server,
  gateway_profile_id uuid references gateway_profile, service_profile_id uuid references service_profile,
  ping boolean not null default false, last_ping_id bigint, last_ping_sent_at timestamptz, first_seen_at timestamptz,
  last_seen_at timestamptz, latitude double precision not null default 0, longitude double precision not null default 0,
  altitude double precision not null default 0, tags hstore, metadata hstore, unique (name, organization_id));
create table device (dev_eui bytea primary key, ${times}, application_id bigint not null references application,
  device_profile_id uuid not null references device_profile, name varchar(100) not null,
  description text not null default '', last_seen_at timestamptz, device_status_battery numeric(5,2),
  device_status_margin integer, latitude double precision, longitude double precision, altitude double precision,
  device_status_external_power_source boolean not null default false, dr smallint, variables hstore, tags hstore,
  dev_addr bytea not null ${zeros(4)}, app_s_key bytea not null ${zeros(16)}, unique (name, application_id));
create table device_keys (dev_eui bytea primary key references device, ${times}, nwk_key bytea not null,
  app_key bytea not null ${zeros(16)}, join_nonce integer not null default 0);
create table multicast_group (id uuid primary key, ${times}, name varchar(100) not null, mc_app_s_key bytea,
  application_id bigint not null references application);
create table device_multicast_group (dev_eui bytea references device, multicast_group_id uuid references multicast_group,
  created_at timestamptz not null default now(), primary key (multicast_group_id, dev_eui));
`;

export const networkServerTables = `
create extension if not exists hstore;
create table schema_migrations (version bigint primary key, dirty boolean not null);
insert into schema_migrations values (33, false);
create table service_profile (service_profile_id uuid primary key, ${times}, ul_rate integer not null default 0,
  ul_bucket_size integer not null default 0, ul_rate_policy char(4) not null default 'Drop',
  dl_rate integer not null default 0, dl_bucket_size integer not null default 0,
  dl_rate_policy char(4) not null default 'Drop', add_gw_metadata boolean not null default true,
  dev_status_req_freq integer not null default 0, report_dev_status_battery boolean not null default false,
  report_dev_status_margin boolean not null default false, dr_min integer not null default 0,
  dr_max integer not null default 5, channel_mask bytea, pr_allowed boolean not null default false,
  hr_allowed boolean not null default false, ra_allowed boolean not null default false,
  nwk_geo_loc boolean not null default false, target_per integer not null default 0,
  min_gw_diversity integer not null default 0, gws_private boolean not null default false);
create table device_profile (device_profile_id uuid primary key, ${times}, supports_class_b boolean not null default false,
  class_b_timeout integer not null default 0, ping_slot_period integer not null default 0,
  ping_slot_dr integer not null default 0, ping_slot_freq bigint not null default 0,
  supports_class_c boolean not null default false, class_c_timeout integer not null default 0,
  mac_version varchar(10) not null default '1.0.3', reg_params_revision varchar(20) not null default 'A',
  rx_delay_1 integer not null default 0, rx_dr_offset_1 integer not null default 0,
  rx_data_rate_2 integer not null default 0, rx_freq_2 bigint not null default 0, factory_preset_freqs bigint[],
  max_eirp integer not null default 0, max_duty_cycle integer not null default 0,
  supports_join boolean not null default true, rf_region varchar(20) not null default 'EU868',
  supports_32bit_fcnt boolean not null default false, adr_algorithm_id varchar(100) not null default 'default');
create table routing_profile (routing_profile_id uuid primary key, ${times}, as_id varchar(255) not null default '',
  ca_cert text not null default '', tls_cert text not null default '', tls_key text not null default '');
create table gateway_profile (gateway_profile_id uuid primary key, ${times}, channels smallint[] not null,
  stats_interval bigint not null default 0);
create table gateway_profile_extra_channel (id bigserial primary key, gateway_profile_id uuid references gateway_profile,
  modulation varchar(10) not null, frequency bigint not null, bandwidth integer not null default 0,
  bitrate integer not null default 0, spreading_factors smallint[]);
create table gateway (gateway_id bytea primary key, ${times}, routing_profile_id uuid not null references routing_profile,
  service_profile_id uuid references service_profile, gateway_profile_id uuid references gateway_profile,
  first_seen_at timestamptz, last_seen_at timestamptz, location point, altitude double precision not null default 0,
  tls_cert bytea);
create table gateway_board (gateway_id bytea references gateway, id smallint not null, fpga_id bytea,
  fine_timestamp_key bytea, primary key (gateway_id, id));
create table device (dev_eui bytea primary key, ${times}, device_profile_id uuid not null references device_profile,
  service_profile_id uuid not null references service_profile, routing_profile_id uuid not null references routing_profile,
  skip_fcnt_check boolean not null default false, reference_altitude double precision not null default 0,
  mode char(1) not null default '', is_disabled boolean not null default false);
create table device_activation (id bigserial primary key, created_at timestamptz not null default now(),
  dev_eui bytea not null references device, join_eui bytea not null, dev_addr bytea not null,
  f_nwk_s_int_key bytea not null ${zeros(16)}, s_nwk_s_int_key bytea not null ${zeros(16)},
  nwk_s_enc_key bytea not null ${zeros(16)}, dev_nonce integer not null, join_req_type smallint not null);
create index on device_activation (dev_eui);
create table device_queue (id bigserial primary key, ${times}, dev_addr bytea, dev_eui bytea references device,
  frm_payload bytea, f_cnt integer not null, f_port integer not null, confirmed boolean not null default false,
  is_pending boolean not null default false, timeout_after timestamptz, retry_after timestamptz,
  emit_at_time_since_gps_epoch bigint);
create table multicast_group (id uuid primary key, ${times}, mc_addr bytea, mc_nwk_s_key bytea, f_cnt integer not null,
  group_type char not null, dr integer not null, frequency bigint not null, ping_slot_period integer not null,
  routing_profile_id uuid not null references routing_profile, service_profile_id uuid not null references service_profile);
create table device_multicast_group (dev_eui bytea references device, multicast_group_id uuid references multicast_group,
  created_at timestamptz not null default now(), primary key (multicast_group_id, dev_eui));
create table multicast_queue (id bigserial primary key, ${times}, schedule_at timestamptz,
  emit_at_time_since_gps_epoch bigint, multicast_group_id uuid references multicast_group, gateway_id bytea,
  f_cnt integer not null, f_port integer not null, frm_payload bytea, retry_after timestamptz);
`;
