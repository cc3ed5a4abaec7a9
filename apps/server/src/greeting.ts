import type { Server } from './compose.ts';
import type { Config } from './config.ts';
import type { Broker } from './mqtt/broker.ts';

/** The information for the person who started the server: its address, how to sign in, where gateways connect. */
export function greeting(
  config: Config,
  { httpPort, firstAdministrator, needs }: Pick<Server, 'httpPort' | 'firstAdministrator' | 'needs'>,
): string {
  const host = ['0.0.0.0', '::'].includes(config.http.host) ? 'localhost' : config.http.host;
  const lines = [
    'Hilltop is running.',
    `  Console    ${config.httpTLSCert === '' ? 'http' : 'https'}://${host}:${httpPort}/`,
    `  Sign in    ${signIn(firstAdministrator)}`,
    `  Gateways   ${gateways(config)}`,
    `  MQTT       ${programs(config, needs.mqtt)}`,
    `  Machines   ${machines(config)}`,
  ];
  return `\n${lines.join('\n')}\n`;
}

function gateways({ udp, basicsStation, basicsStationCert }: Config): string {
  const forwarders = `Semtech UDP packet forwarder to port ${udp.port}`;
  if (!basicsStation) return forwarders;
  return `${forwarders}, LoRa Basics Station to port ${basicsStation.port}${basicsStationCert && ' with TLS'}`;
}

function programs({ mqttURL }: Config, broker: Broker | undefined): string {
  if (!broker) return 'is switched off';
  if (broker.kind === 'EXTERNAL') return `at the broker ${new URL(mqttURL).host}`;
  const { tcp, tls } = broker.ports();
  const ports = [tcp && `port ${tcp}`, tls && `port ${tls} with TLS`].filter((port) => port !== undefined);
  return `programs connect to ${ports.join(', ')}`;
}

function machines({ grpc, metricsAllow }: Config): string {
  const networkServers = grpc
    ? `network servers call back at ${grpc.host}:${grpc.port}`
    : 'no network servers call back';
  return `${networkServers}, /metrics is for ${metricsAllow.join(', ') || 'nobody'}`;
}

function signIn(first: Server['firstAdministrator']): string {
  if (!first) return 'with the accounts there are';
  if (first.password === undefined) return `${first.email} with the password of HILLTOP_ADMIN_PASSWORD`;
  return `${first.email} with the password ${first.password} (shown this once)`;
}
