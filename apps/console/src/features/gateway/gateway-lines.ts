import type { GatewayListener } from '@hilltop/contract';

/** Configuration for a file of a gateway. */
export interface Lines {
  /** The name of the file on most gateways. */
  file: string;
  text: string;
  /** Additional instructions. */
  note: string;
}

interface GatewayEndpoint extends Pick<GatewayListener, 'port' | 'isSecure' | 'needsProof'> {
  gatewayID: string;
  host: string;
  /** The region: EU868. */
  region: string;
}

/** Ready-made configuration for each way to connect a gateway. */
export const linesFor: Record<GatewayListener['link'], (endpoint: GatewayEndpoint) => Lines> = {
  SEMTECH_UDP: ({ gatewayID, host, port, region }) => ({
    file: 'local_conf.json (or the part gateway_conf of global_conf.json)',
    text: JSON.stringify(
      {
        gateway_conf: {
          gateway_ID: gatewayID.toUpperCase(),
          // An IPv6 address has brackets only in a URL.
          server_address: host.replace(/^\[|\]$/g, ''),
          serv_port_up: port,
          serv_port_down: port,
          keepalive_interval: 10,
          stat_interval: 30,
          forward_crc_valid: true,
          forward_crc_error: false,
        },
      },
      null,
      2,
    ),
    note: `The channels are those of the file global_conf.json for ${region} that is installed on the gateway.`,
  }),
  BASICS_STATION: ({ host, port, isSecure, needsProof }) => ({
    file: 'tc.uri',
    text: `${isSecure ? 'wss' : 'ws'}://${host}:${port}`,
    note: [
      'The server sends the channels when the gateway connects.',
      isSecure ? 'Save the CA of the server as tc.trust.' : '',
      needsProof ? 'It needs a client certificate in tc.crt and tc.key: create one on its Certificate tab.' : '',
    ]
      .filter(Boolean)
      .join(' '),
  }),
  MQTT: ({ host, port, isSecure, needsProof }) => ({
    file: 'chirpstack-gateway-bridge.toml',
    text: [
      '[integration]',
      'marshaler="protobuf"',
      '',
      '[integration.mqtt]',
      'event_topic_template="gateway/{{ .GatewayID }}/event/{{ .EventType }}"',
      'state_topic_template="gateway/{{ .GatewayID }}/state/{{ .StateType }}"',
      'command_topic_template="gateway/{{ .GatewayID }}/command/#"',
      '',
      '[integration.mqtt.auth]',
      'type="generic"',
      '',
      '[integration.mqtt.auth.generic]',
      `servers=["${isSecure ? 'ssl' : 'tcp'}://${host}:${port}"]`,
      ...(isSecure
        ? ['ca_cert="/etc/gateway/ca.crt"', 'tls_cert="/etc/gateway/tls.crt"', 'tls_key="/etc/gateway/tls.key"']
        : []),
    ].join('\n'),
    note: needsProof
      ? 'It authenticates with a certificate: create one on the Certificate tab of the gateway.'
      : 'The broker defines how the gateway authenticates.',
  }),
};
