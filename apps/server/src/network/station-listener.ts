import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type LinkNeeds, serveBasicsStation } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Certificates } from '../certificates/certificates.ts';
import { anyOf } from '../cidr.ts';
import { connectionBoundary, endSilentConnections, handleConnectionErrors } from '../connections/boundary.ts';
import { connectionLimits, limitConnections } from '../connections/connection-limits.ts';
import { readFileLimit } from '../connections/file-limit.ts';
import type { Metrics } from '../metrics.ts';
import { createServer } from '../node-http.ts';
import { readPair } from '../pem-file.ts';
import type { Address } from '../setting-schemas.ts';
import { cannotListen } from '../start-error.ts';
import { createStationIdentity, type StationIdentityDependencies } from './station-identity.ts';

/** The listener for Basics Stations. */
export interface StationListener {
  /** The bound port, also when port 0 was configured. */
  port: number;
  stop: () => Promise<void>;
}

export interface StationListenerDependencies extends StationIdentityDependencies {
  bus: Bus;
  config: StationIdentityDependencies['config'] & {
    basicsStationCert: string;
    basicsStationKey: string;
    trustProxy: Parameters<typeof anyOf>[0];
  };
  certificates: Pick<Certificates, 'gatewayOf' | 'gatewayAuthorities'>;
  metrics: Metrics;
  log: Logger;
}

/** Limits for clients that send nothing. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  noDelay: true,
} as const;
const handshakeMs = 10_000;

/** Throws StartError when the address or the files cannot be used. */
export async function startStationListener(
  listen: Address,
  beside: StationListenerDependencies,
  needs: LinkNeeds,
): Promise<StationListener> {
  const { bus, config, certificates, metrics, log } = beside;
  const pair = await readPair(
    ['HILLTOP_BASICS_STATION_CERT', config.basicsStationCert],
    ['HILLTOP_BASICS_STATION_KEY', config.basicsStationKey],
  );
  // A station without one of our certificates may have a key, so the identity check decides and not TLS.
  const asking = { requestCert: true, rejectUnauthorized: false, handshakeTimeout: handshakeMs };
  const server = pair
    ? createSecureServer({
        ...timeouts,
        ...asking,
        ...pair,
        ca: await certificates.gatewayAuthorities(),
        minVersion: 'TLSv1.2' as const,
      })
    : createServer(timeouts);
  const boundary = connectionBoundary('basics_station', { metrics, log });
  const isProxy = anyOf(config.trustProxy);
  limitConnections(server, connectionLimits(readFileLimit()), {
    isProxy,
    onRefused: () => metrics.count('connections_refused', { listener: 'basics_station' }),
  });
  handleConnectionErrors(server, boundary);
  endSilentConnections(server, boundary);
  const link = serveBasicsStation({
    ...needs,
    server,
    identify: createStationIdentity(beside),
    whenChanged: (provenBy, listener) => bus.subscribe('access-changed', provenBy, listener),
    isSecure: ({ socket, headers }: IncomingMessage) =>
      socket instanceof TLSSocket || (headers['x-forwarded-proto'] === 'https' && isProxy(socket.remoteAddress ?? '')),
  });
  try {
    server.listen(listen.port, listen.host);
    await once(server, 'listening');
  } catch (error) {
    await link.stop();
    throw cannotListen('HILLTOP_BASICS_STATION', listen, error);
  }
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.close();
      await link.stop();
      server.closeAllConnections();
    },
  };
}
