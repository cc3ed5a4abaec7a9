import type { Server } from './compose.ts';
import type { Config } from './config.ts';

/** What the person who started the server needs to know: where it is, how to sign in, where gateways connect. */
export function greeting(
  config: Config,
  { httpPort, firstAdministrator }: Pick<Server, 'httpPort' | 'firstAdministrator'>,
): string {
  const host = ['0.0.0.0', '::'].includes(config.http.host) ? 'localhost' : config.http.host;
  const lines = [
    'Hilltop is running.',
    `  Console    http://${host}:${httpPort}/`,
    `  Sign in    ${signIn(firstAdministrator)}`,
    `  Gateways   Semtech UDP packet forwarder to port ${config.udp.port}, region ${config.region.join(', ')}`,
    `  Machines   ${machines(config)}`,
  ];
  return `\n${lines.join('\n')}\n`;
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
