import type { GatewayListener, Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import type { Broker } from '../../mqtt/broker.ts';
import type { MQTTListenerSettings } from '../../mqtt/settings.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { GatewaySettings } from '../../network/settings.ts';
import type { Address } from '../../setting-schemas.ts';

/** The names of links in the API. */
export const links = { 'semtech-udp': 'SEMTECH_UDP', 'basics-station': 'BASICS_STATION', mqtt: 'MQTT' } as const;

interface ConnectingRoutesDependencies {
  config: GatewaySettings & MQTTListenerSettings & { mqttURL: string };
  database: Database;
  networks: Networks;
  mqtt: Broker | undefined;
}

/** The addresses to which gateways send, and unknown gateways. */
export function connectingRoutes({
  config,
  database,
  networks,
  mqtt,
}: ConnectingRoutesDependencies): Handlers<Operations['connecting']> {
  return {
    get: async () => ({ result: [forwarders(config), ...stations(config), ...brokers(config, mqtt)] }),

    listUnknown: async () => {
      const gateways = networks.embedded.unknownGateways();
      const ids = gateways.map(({ id }) => id);
      const rows =
        ids.length === 0
          ? []
          : await database.query.selectFrom('gateway').select('id').where('id', 'in', ids).execute();
      const registered = new Set(rows.map(({ id }) => id));
      const unknown = gateways.filter(({ id }) => !registered.has(id));
      return {
        result: unknown.map(({ id, link, times, firstAt, lastAt }) => {
          return { id, link: links[link], times, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
        }),
      };
    },
  };
}

const isLocal = (host: string) => host === '::1' || host === 'localhost' || host.startsWith('127.');

function at(link: GatewayListener['link'], { host, port }: Address, isSecure = false): GatewayListener {
  return { link, host: '', port, isSecure, isLocal: isLocal(host), needsProof: false };
}

const forwarders = ({ udp }: GatewaySettings) => at('SEMTECH_UDP', udp);

function stations({ basicsStation, basicsStationCert, basicsStationProof }: GatewaySettings): GatewayListener[] {
  if (!basicsStation) return [];
  const needsProof = basicsStationProof === 'required';
  return [{ ...at('BASICS_STATION', basicsStation, basicsStationCert !== ''), needsProof }];
}

/** Addresses of brokers, TLS first, because gateways sign in with certificates. */
function brokers(
  { mqtt, mqtts, mqttURL }: MQTTListenerSettings & { mqttURL: string },
  broker: Broker | undefined,
): GatewayListener[] {
  if (!broker) return [];
  if (broker.kind === 'EXTERNAL') {
    const { hostname, port, protocol } = new URL(mqttURL);
    const isSecure = protocol !== 'mqtt:' && protocol !== 'tcp:';
    const address = { host: hostname, port: Number(port || (isSecure ? 8883 : 1883)) };
    return [{ ...at('MQTT', address, isSecure), host: hostname }];
  }
  const { tcp, tls } = broker.ports();
  if (mqtts && tls !== undefined) return [{ ...at('MQTT', { host: mqtts.host, port: tls }, true), needsProof: true }];
  if (mqtt && tcp !== undefined) return [{ ...at('MQTT', { host: mqtt.host, port: tcp }), needsProof: true }];
  return [];
}
