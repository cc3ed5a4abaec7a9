import { createServer, type Socket } from 'node:net';
import type { as } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import { connectionBoundary } from '../connections/boundary.ts';
import { listenForServers } from '../connections/listen-for-servers.ts';
import type { Metrics } from '../metrics.ts';
import { readPair, readPEM } from '../pem-file.ts';
import type { Address } from '../setting-schemas.ts';
import { StartError } from '../start-error.ts';
import { serveCallbacks, type TLSFiles } from './grpc-service.ts';
import type { CallbackSettings } from './settings.ts';

/** The listener for remote network servers. */
export interface GrpcServer {
  /** The bound port, also when port 0 was configured. */
  port: number;
  /** Lets calls under way finish, for 2 s at most. */
  stop: () => Promise<void>;
}

type GrpcServerDependencies = {
  config: Pick<CallbackSettings, 'grpcCA' | 'grpcCert' | 'grpcKey'>;
  callbacks: as.ApplicationServerService;
  metrics: Metrics;
  log: Logger;
};

/**
 * Serves `as.ApplicationServerService`: without a certificate in plain text, else with TLS, and with a CA only to
 * clients with a certificate of it. Throws StartError when the address or the files cannot be used.
 */
export async function startGrpcServer(
  listen: Address,
  { config, callbacks, metrics, log }: GrpcServerDependencies,
): Promise<GrpcServer> {
  const tls = await readTLSFiles(config);
  const boundary = connectionBoundary('network_server_grpc', { metrics, log });
  const connections = new Set<Socket>();
  const service = serveCallbacks(tls, callbacks, { boundary, log });

  function hand(socket: Socket): void {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    service.take(socket);
  }

  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }, (socket) => {
    if (socket.destroyed) return;
    boundary.guard(socket, hand)(socket);
  });
  const port = await listenForServers(server, { listen, setting: 'HILLTOP_GRPC', listener: 'grpc', boundary, metrics });
  return {
    port,
    stop: async () => {
      server.close();
      await service.stop();
      for (const socket of connections) socket.destroy();
    },
  };
}

async function readTLSFiles({ grpcCA, grpcCert, grpcKey }: GrpcServerDependencies['config']): Promise<TLSFiles | null> {
  const pair = await readPair(['HILLTOP_GRPC_CERT', grpcCert], ['HILLTOP_GRPC_KEY', grpcKey]);
  if (!pair && grpcCA === '') return null;
  if (!pair) throw new StartError('HILLTOP_GRPC_CERT and HILLTOP_GRPC_KEY must both name a file for gRPC with TLS.');
  return { ca: grpcCA === '' ? null : await readPEM('HILLTOP_GRPC_CA', grpcCA), ...pair };
}
