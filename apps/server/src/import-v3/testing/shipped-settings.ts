/**
 * Settings files of version 3 without their comments: as its Debian packages install them, and as it generates them.
 */
export const packagedApplicationServer = `
[postgresql]
dsn="postgres://localhost/chirpstack_as?sslmode=disable"
[redis]
url="redis://localhost:6379"
[application_server]
  [application_server.integration]
  enabled=["mqtt"]
    [application_server.integration.mqtt]
    server="tcp://localhost:1883"
    username=""
    password=""
    [application_server.api]
    bind="0.0.0.0:8001"
    public_host="localhost:8001"
    [application_server.external_api]
    bind="0.0.0.0:8080"
    tls_cert=""
    tls_key=""
    jwt_secret=""
[join_server]
bind="0.0.0.0:8003"
`;

const packagedNetworkServer = (band: string, channels: string) => `
[postgresql]
dsn="postgres://localhost/chirpstack_ns?sslmode=disable"
[redis]
url="redis://localhost:6379"
[network_server]
net_id="000000"
  [network_server.band]
  name="${band}"
  [network_server.network_settings]
${channels}
    [network_server.network_settings.class_b]
    ping_slot_dr=0
    ping_slot_frequency=0
  [network_server.api]
  bind="0.0.0.0:8000"
  [network_server.gateway.backend]
  type="mqtt"
    [network_server.gateway.backend.mqtt]
    event_topic="gateway/+/event/+"
    command_topic_template="gateway/{{ .GatewayID }}/command/{{ .CommandType }}"
    server="tcp://localhost:1883"
    username=""
    password=""
[metrics]
timezone="Local"
[join_server]
  [join_server.default]
  server="http://localhost:8003"
`;

const channel = (frequency: number) =>
  `[[network_server.network_settings.extra_channels]]\nfrequency=${frequency}\nmin_dr=0\nmax_dr=5\n`;

export const packagedNetworkServers = {
  EU868: packagedNetworkServer(
    'EU868',
    [867_100_000, 867_300_000, 867_500_000, 867_700_000, 867_900_000].map(channel).join(''),
  ),
  US915: packagedNetworkServer('US_902_928', 'enabled_uplink_channels=[0, 1, 2, 3, 4, 5, 6, 7]'),
} as const;

export const generatedApplicationServer = `
general.log_level=4
general.log_to_syslog=false
general.password_hash_iterations=100000
general.grpc_default_resolver_scheme="passthrough"
postgresql.dsn="postgres://localhost/chirpstack_as?sslmode=disable"
postgresql.automigrate=true
postgresql.max_open_connections=0
postgresql.max_idle_connections=2
redis.servers=["localhost:6379",]
redis.password=""
redis.database=0
redis.cluster=false
redis.master_name=""
redis.pool_size=0
redis.tls_enabled=false
redis.key_prefix=""
application_server.id="6d5db27e-4ce2-4b2b-b5d7-91f069397978"
application_server.user_authentication.openid_connect.enabled=false
application_server.user_authentication.openid_connect.registration_enabled=false
application_server.user_authentication.openid_connect.use_userinfo=true
application_server.user_authentication.openid_connect.provider_url=""
application_server.codec.js.max_execution_time="100ms"
application_server.integration.marshaler="json_v3"
application_server.integration.enabled=["mqtt"]
application_server.integration.mqtt.event_topic_template="application/{{ .ApplicationID }}/device/{{ .DevEUI }}/event/{{ .EventType }}"
application_server.integration.mqtt.command_topic_template="application/{{ .ApplicationID }}/device/{{ .DevEUI }}/command/{{ .CommandType }}"
application_server.integration.mqtt.retain_events=false
application_server.integration.mqtt.server="tcp://localhost:1883"
application_server.integration.mqtt.username=""
application_server.integration.mqtt.password=""
application_server.integration.mqtt.max_reconnect_interval="1m0s"
application_server.integration.mqtt.qos=0
application_server.integration.mqtt.clean_session=true
application_server.integration.mqtt.client_id=""
application_server.integration.mqtt.client.ca_cert=""
application_server.integration.mqtt.client.ca_key=""
application_server.integration.mqtt.client.client_cert_lifetime="8760h0m0s"
application_server.integration.amqp.url="amqp://guest:guest@localhost:5672"
application_server.integration.amqp.event_routing_key_template="application.{{ .ApplicationID }}.device.{{ .DevEUI }}.event.{{ .EventType }}"
application_server.integration.aws_sns.aws_region=""
application_server.integration.azure_service_bus.connection_string=""
application_server.integration.gcp_pub_sub.project_id=""
application_server.integration.kafka.brokers=["localhost:9092"]
application_server.integration.kafka.tls=false
application_server.integration.kafka.topic="chirpstack_as"
application_server.integration.kafka.event_key_template="application.{{ .ApplicationID }}.device.{{ .DevEUI }}.event.{{ .EventType }}"
application_server.integration.kafka.mechanism="plain"
application_server.integration.kafka.algorithm="SHA-512"
application_server.integration.postgresql.dsn=""
application_server.integration.postgresql.max_open_connections=0
application_server.integration.postgresql.max_idle_connections=2
application_server.api.bind="0.0.0.0:8001"
application_server.api.public_host="localhost:8001"
application_server.external_api.bind="0.0.0.0:8080"
application_server.external_api.jwt_secret="a secret of the installation"
join_server.bind="0.0.0.0:8003"
join_server.kek.as_kek_label=""
metrics.timezone="Local"
metrics.redis.aggregation_intervals=["MINUTE", "HOUR", "DAY", "MONTH"]
metrics.redis.minute_aggregation_ttl="2h0m0s"
metrics.prometheus.endpoint_enabled=false
monitoring.bind=""
monitoring.per_device_event_log_max_history=10
`;

export const generatedNetworkServer = `
general.log_level=4
postgresql.dsn="postgres://localhost/chirpstack_ns?sslmode=disable"
postgresql.automigrate=true
redis.servers=["localhost:6379",]
network_server.net_id="000000"
network_server.deduplication_delay="200ms"
network_server.device_session_ttl="744h0m0s"
network_server.get_downlink_data_delay="100ms"
network_server.band.name="EU868"
network_server.band.uplink_dwell_time_400ms=false
network_server.band.downlink_dwell_time_400ms=false
network_server.band.uplink_max_eirp=-1
network_server.band.repeater_compatible=false
network_server.network_settings.installation_margin=10
network_server.network_settings.rx_window=0
network_server.network_settings.rx1_delay=1
network_server.network_settings.rx1_dr_offset=0
network_server.network_settings.rx2_dr=-1
network_server.network_settings.rx2_frequency=-1
network_server.network_settings.rx2_prefer_on_rx1_dr_lt=0
network_server.network_settings.rx2_prefer_on_link_budget=false
network_server.network_settings.gateway_prefer_min_margin=10
network_server.network_settings.downlink_tx_power=-1
network_server.network_settings.disable_mac_commands=false
network_server.network_settings.disable_adr=false
network_server.network_settings.max_mac_command_error_count=3
network_server.network_settings.enabled_uplink_channels=[]
network_server.network_settings.adr_plugins=[]
network_server.network_settings.class_b.ping_slot_dr=0
network_server.network_settings.class_b.ping_slot_frequency=0
network_server.network_settings.rejoin_request.enabled=false
network_server.network_settings.rejoin_request.max_count_n=0
network_server.network_settings.rejoin_request.max_time_n=0
network_server.scheduler.scheduler_interval="1s"
network_server.scheduler.class_c.device_downlink_lock_duration="2s"
network_server.scheduler.class_c.gateway_downlink_lock_duration="0s"
network_server.scheduler.class_c.multicast_gateway_delay="2s"
network_server.api.bind="0.0.0.0:8000"
network_server.gateway.ca_cert=""
network_server.gateway.client_cert_lifetime="8760h0m0s"
network_server.gateway.force_gws_private=false
network_server.gateway.downlink_timeout="1s"
network_server.gateway.backend.type="mqtt"
network_server.gateway.backend.multi_downlink_feature="hybrid"
network_server.gateway.backend.mqtt.event_topic="gateway/+/event/+"
network_server.gateway.backend.mqtt.command_topic_template="gateway/{{ .GatewayID }}/command/{{ .CommandType }}"
network_server.gateway.backend.mqtt.server="tcp://localhost:1883"
network_server.gateway.backend.mqtt.max_reconnect_interval="1m0s"
network_server.gateway.backend.mqtt.qos=0
network_server.gateway.backend.mqtt.clean_session=true
network_server.gateway.backend.amqp.url="amqp://guest:guest@localhost:5672"
network_server.gateway.backend.amqp.event_queue_name="gateway-events"
network_server.gateway.backend.amqp.event_routing_key="gateway.*.event.*"
network_server.gateway.backend.amqp.command_routing_key_template="gateway.{{ .GatewayID }}.command.{{ .CommandType }}"
network_server.gateway.backend.gcp_pub_sub.project_id=""
network_server.gateway.backend.gcp_pub_sub.uplink_retention_duration="24h0m0s"
network_server.gateway.backend.azure_iot_hub.events_connection_string=""
monitoring.bind=""
monitoring.per_device_frame_log_max_history=10
join_server.resolve_join_eui=false
join_server.resolve_domain_suffix=".joineuis.lora-alliance.org"
join_server.default.server="http://localhost:8003"
network_controller.server=""
roaming.resolve_netid_domain_suffix=".netids.lora-alliance.org"
roaming.api.bind=""
roaming.default.enabled=false
roaming.default.async_timeout="0s"
roaming.default.passive_roaming_lifetime="0s"
`;
