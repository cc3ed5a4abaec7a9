import type { RequestListener, Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { FastifyServerFactory } from 'fastify';
import { anyOf } from '../cidr.ts';
import { type BoundaryDependencies, connectionBoundary, handleConnectionErrors } from '../connections/boundary.ts';
import { connectionLimits, limitConnections } from '../connections/connection-limits.ts';
import { readFileLimit } from '../connections/file-limit.ts';
import { createServer } from '../node-http.ts';
import { readPair, watchFiles } from '../pem-file.ts';
import { splitOffHTTP2 } from './first-bytes.ts';
import { createHTTP2, type HTTP2, type TakeGrpc } from './http2.ts';
import type { ClientSettings, HTTPSettings } from './settings.ts';

/** Limits for clients that send nothing or have disconnected without closing. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  // Node answers a request without Host with an empty body; the API answers with an error that explains it.
  requireHostHeader: false,
} as const;
const handshake = {
  handshakeTimeout: 10_000,
  minVersion: 'TLSv1.2',
  ALPNProtocols: ['h2', 'http/1.1'],
} as const;

/** One port for HTTP/1.1, HTTP/2 and gRPC, with TLS if there is a certificate. */
export interface Port {
  serverFactory: FastifyServerFactory;
  /** Sets the function that takes gRPC streams. */
  onGrpc: (take: TakeGrpc) => void;
  /** Closes connections of HTTP/2, within 2 s; the server itself closes those of HTTP/1.1. */
  stop: () => Promise<void>;
}

/** A renewed certificate is loaded within this time. */
const lookEveryMs = 10_000;

export interface PortDependencies extends BoundaryDependencies {
  config: HTTPSettings & Pick<ClientSettings, 'trustProxy'>;
}

/** Throws StartError when the files of the certificate cannot be used. */
export async function createPort({ config, metrics, log }: PortDependencies): Promise<Port> {
  const { httpTLSCert: certFile, httpTLSKey: keyFile } = config;
  const read = () => readPair(['HILLTOP_HTTP_TLS_CERT', certFile], ['HILLTOP_HTTP_TLS_KEY', keyFile]);
  let pair = await read();
  const secureServers: SecureServer[] = [];
  const stopWatching = pair && watchFiles([certFile, keyFile], lookEveryMs, renew);
  const isProxy = anyOf(config.trustProxy);
  const onRefused = () => metrics.count('connections_refused', { listener: 'http' });
  const [http1, http2Boundary] = [
    connectionBoundary('http', { metrics, log }),
    connectionBoundary('http2', { metrics, log }),
  ];
  const opened: HTTP2[] = [];
  let takeGrpc: TakeGrpc;

  /** New connections get the new certificate. An invalid one does not replace the old one. */
  async function renew(): Promise<void> {
    try {
      pair = (await read())!;
      for (const server of secureServers) server.setSecureContext({ ...pair, minVersion: handshake.minVersion });
      log.info('the renewed certificate of HILLTOP_HTTP_TLS_CERT was loaded');
    } catch (error) {
      log.error(`the previous certificate stays in use. ${(error as Error).message}`);
    }
  }

  /** Called for each address that the port is bound to. */
  function serve(handler: RequestListener): Server {
    const http2 = createHTTP2(handler as never, (...given) => takeGrpc(...given), http2Boundary);
    opened.push(http2);
    const secure = pair && createSecureServer({ ...timeouts, ...handshake, ...pair }, handler);
    if (secure) secureServers.push(secure);
    const server = secure ?? createServer(timeouts, handler);
    limitConnections(server, connectionLimits(readFileLimit()), { isProxy, onRefused });
    splitOffHTTP2(server, secure ? 'secureConnection' : 'connection', http2.take, http1);
    handleConnectionErrors(server, http1);
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (socket.errored) return;
      http1.count(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'silent' : 'connection', error);
    });
    return server;
  }

  return {
    serverFactory: serve as unknown as FastifyServerFactory,
    onGrpc: (take) => {
      takeGrpc = take;
    },
    stop: async () => {
      stopWatching?.();
      await Promise.all(opened.map((http2) => http2.stop()));
    },
  };
}
