import type { MQTTAccess } from '@hilltop/contract';
import type { CertificateSettings } from '../certificates/settings.ts';
import { parseTemplate } from '../integrations/topic-template.ts';
import type { Broker } from './broker.ts';
import type { MQTTSettings } from './settings.ts';

export type MQTTAccessSettings = Pick<MQTTSettings, 'mqttURL' | 'mqttEventTopic' | 'mqttCommandTopic'> &
  Pick<CertificateSettings, 'mqttPublic' | 'mqttClientCACert'>;

/** Whether client certificates can be issued and a listener accepts them. */
export function hasCertificates({ mqttClientCACert }: MQTTAccessSettings, broker: Broker | undefined): boolean {
  if (!broker) return false;
  return broker.kind === 'EXTERNAL' ? mqttClientCACert !== '' : broker.ports().tls !== undefined;
}

/** How programs of the application connect when users reach this server at `origin`. */
export function accessOf(
  config: MQTTAccessSettings,
  broker: Broker | undefined,
  applicationID: string,
  origin: URL,
): MQTTAccess {
  const addresses = addressesOf(config, broker, origin);
  const values = { ApplicationID: applicationID, CommandType: 'down' };
  const eventTopic = parseTemplate(config.mqttEventTopic, []).filter(values);
  const command = parseTemplate(config.mqttCommandTopic, []);
  const line = (transport: 'TLS' | 'TCP', proof: string) => {
    const address = addresses.find((one) => one.transport === transport);
    if (!address) return '';
    const { hostname, port } = new URL(address.url);
    return `mosquitto_sub -h ${hostname.replace(/[[\]]/g, '')} -p ${port} ${proof} -t '${eventTopic}' -v`;
  };
  const key = '-u application -P "$API_KEY"';
  return {
    broker: broker?.kind ?? 'NONE',
    addresses,
    hasCertificates: hasCertificates(config, broker),
    eventTopic,
    commandTopic: command.topic({ ...values, DevEUI: '<devEUI>' }),
    subscribeLine: line('TLS', '--cafile ca.pem --cert cert.pem --key key.pem'),
    // An external broker does not know our API keys.
    keyLine: broker?.kind === 'EMBEDDED' ? line('TLS', `--cafile ca.pem ${key}`) || line('TCP', key) : '',
  };
}

function addressesOf({ mqttURL, mqttPublic }: MQTTAccessSettings, broker: Broker | undefined, origin: URL) {
  if (!broker) return [];
  if (broker.kind === 'EXTERNAL') return [externalBroker(new URL(mqttURL))];
  const name = mqttPublic || origin.hostname;
  const host = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
  const { tcp, tls } = broker.ports();
  return [
    ...(tls === undefined ? [] : [{ transport: 'TLS' as const, url: `mqtts://${host}:${tls}` }]),
    ...(tcp === undefined ? [] : [{ transport: 'TCP' as const, url: `mqtt://${host}:${tcp}` }]),
    { transport: 'WEBSOCKET' as const, url: `${origin.protocol.replace('http', 'ws')}//${origin.host}/mqtt` },
  ];
}

/** The address of an external broker without its credentials, which are those of this server. */
function externalBroker({ protocol, hostname, port }: URL): MQTTAccess['addresses'][number] {
  const isSecure = ['mqtts:', 'ssl:', 'wss:'].includes(protocol);
  if (protocol.startsWith('ws'))
    return { transport: 'WEBSOCKET', url: `${protocol}//${hostname}${port && `:${port}`}` };
  const [scheme, transport] = isSecure ? (['mqtts', 'TLS'] as const) : (['mqtt', 'TCP'] as const);
  return { transport, url: `${scheme}://${hostname}:${port || (isSecure ? 8883 : 1883)}` };
}
