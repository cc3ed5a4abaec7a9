import { parseDuration } from '@hilltop/protobuf';

/** Defaults of the servers of version 3. */
export const builtIn = {
  applicationServerID: '6d5db27e-4ce2-4b2b-b5d7-91f069397978',
  applicationServerDSN: 'postgres://localhost/chirpstack_as?sslmode=disable',
  networkServerDSN: 'postgres://localhost/chirpstack_ns?sslmode=disable',
  mqttServer: 'tcp://localhost:1883',
  integrations: ['mqtt'],
} as const;

/** Defaults of settings that the import does not read, by path. Version 3 writes them into the files it generates. */
const notRead: Readonly<Record<string, unknown>> = {
  'application_server.api.bind': '0.0.0.0:8001',
  'application_server.api.public_host': 'localhost:8001',
  'application_server.codec.js.max_execution_time': '100ms',
  'application_server.integration.mqtt.max_reconnect_interval': '1m0s',
  'application_server.integration.mqtt.clean_session': true,
  'application_server.integration.mqtt.client.client_cert_lifetime': '8760h0m0s',
  'application_server.integration.amqp.event_routing_key_template':
    'application.{{ .ApplicationID }}.device.{{ .DevEUI }}.event.{{ .EventType }}',
  'application_server.integration.postgresql.max_idle_connections': 2,
  'application_server.user_authentication.openid_connect.use_userinfo': true,
  'application_server.remote_multicast_setup.sync_interval': '1s',
  'application_server.remote_multicast_setup.sync_retries': 3,
  'application_server.remote_multicast_setup.sync_batch_size': 100,
  'application_server.fragmentation_session.sync_interval': '1s',
  'application_server.fragmentation_session.sync_retries': 3,
  'application_server.fragmentation_session.sync_batch_size': 100,
  'join_server.bind': '0.0.0.0:8003',
  'join_server.default.server': 'http://localhost:8003',
  'join_server.resolve_domain_suffix': '.joineuis.lora-alliance.org',
  'metrics.timezone': 'Local',
  'network_server.api.bind': '0.0.0.0:8000',
  'network_server.device_session_ttl': '744h0m0s',
  'network_server.gateway.client_cert_lifetime': '8760h0m0s',
  'network_server.gateway.downlink_timeout': '1s',
  'network_server.gateway.stats.aggregation_intervals': ['minute', 'hour', 'day'],
  'network_server.gateway.stats.create_gateway_on_stats': true,
  'network_server.gateway.backend.multi_downlink_feature': 'hybrid',
  'network_server.gateway.backend.mqtt.server': 'tcp://localhost:1883',
  'network_server.gateway.backend.mqtt.command_topic_template': 'gateway/{{ .GatewayID }}/command/{{ .CommandType }}',
  'network_server.gateway.backend.mqtt.max_reconnect_interval': '1m0s',
  'network_server.gateway.backend.mqtt.clean_session': true,
  'network_server.scheduler.scheduler_interval': '1s',
  'network_server.scheduler.class_c.downlink_lock_duration': '2s',
  'network_server.scheduler.class_c.device_downlink_lock_duration': '2s',
  'network_server.scheduler.class_c.multicast_gateway_delay': '2s',
  'roaming.resolve_netid_domain_suffix': '.netids.lora-alliance.org',
};

/** Whether the value is the default of version 3. */
export const isBuiltIn = (path: string, value: unknown): boolean =>
  Object.hasOwn(notRead, path) && comparable(value) === comparable(notRead[path]);

/** Environment values are text, and Go writes `1m` as `1m0s`. */
function comparable(value: unknown): string {
  const text = String(value);
  const ms = parseDuration(text);
  return ms === undefined ? text : `${ms} ms`;
}
