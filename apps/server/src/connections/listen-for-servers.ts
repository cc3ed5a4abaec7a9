import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { ErrorBoundary } from '@hilltop/network-server';
import type { Metrics } from '../metrics.ts';
import type { Address } from '../setting-schemas.ts';
import { cannotListen } from '../start-error.ts';
import { endSilentConnections, handleConnectionErrors } from './boundary.ts';
import { connectionLimits, limitConnections } from './connection-limits.ts';
import { readFileLimit } from './file-limit.ts';

interface ListenOptions {
  listen: Address;
  /** The environment variable of the address, for the error. */
  setting: 'HILLTOP_GRPC' | 'HILLTOP_JOIN_SERVER';
  /** The label of the metric of refused connections. */
  listener: 'grpc' | 'join_server';
  boundary: ErrorBoundary;
  metrics: Pick<Metrics, 'count'>;
}

/** Listens for other network servers with limits on connections; returns the bound port. Throws StartError. */
export async function listenForServers(server: Server, options: ListenOptions): Promise<number> {
  const { listen, setting, listener, boundary, metrics } = options;
  limitConnections(server, connectionLimits(readFileLimit()), {
    isProxy: () => false,
    onRefused: () => metrics.count('connections_refused', { listener }),
  });
  handleConnectionErrors(server, boundary);
  endSilentConnections(server, boundary);
  try {
    server.listen(listen.port, listen.host);
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(setting, listen, error);
  }
  return (server.address() as AddressInfo).port;
}
