import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { FastifyServerFactory } from 'fastify';
import { readFileLimit } from '../connections/file-limit.ts';
import { shareConnections, sharesOf } from '../connections/share.ts';
import type { Needs } from '../needs.ts';
import { anyOf } from '../outgoing/cidr.ts';
import { readPair } from '../pem-file.ts';
import { splitOffHTTP2 } from './first-bytes.ts';
import { createHTTP2, type Headers, type HTTP2, type Stream } from './http2.ts';

/** Whoever connects says what they want; whoever has gone without a word is found out. */
const patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
} as const;
const handshakeMs = 10_000;

/** One port for HTTP/1.1, HTTP/2 and gRPC, with TLS where there is a certificate. */
export interface Port {
  serverFactory: FastifyServerFactory;
  /** Who gets the streams that are gRPC. */
  onGrpc: (take: (stream: Stream, headers: Headers) => void) => void;
  /** Lets go of connections of HTTP/2, within 2 s; those of HTTP/1.1 are the server's own. */
  stop: () => Promise<void>;
}

/** Throws StartError when the files of the certificate cannot be used. */
export async function createPort({ config, metrics }: Pick<Needs, 'config' | 'metrics'>): Promise<Port> {
  const pair = await readPair(
    ['HILLTOP_HTTP_TLS_CERT', config.httpTLSCert],
    ['HILLTOP_HTTP_TLS_KEY', config.httpTLSKey],
  );
  const isProxy = anyOf(config.trustProxy);
  const onRefused = () => metrics.count('connections_refused', { listener: 'http' });
  const opened: HTTP2[] = [];
  let takeGrpc: (stream: Stream, headers: Headers) => void;

  /** Called for each address the port is bound to. */
  function serve(handler: RequestListener): Server {
    const http2 = createHTTP2(handler as never, (stream, headers) => takeGrpc(stream, headers));
    opened.push(http2);
    const server = pair ? createSecureServer(secured(pair), handler) : createServer(patience, handler);
    shareConnections(server, sharesOf(readFileLimit()), { isProxy, onRefused });
    splitOffHTTP2(server, pair ? 'secureConnection' : 'connection', http2.take);
    return server;
  }

  return {
    serverFactory: serve as unknown as FastifyServerFactory,
    onGrpc: (take) => {
      takeGrpc = take;
    },
    stop: async () => {
      await Promise.all(opened.map((http2) => http2.stop()));
    },
  };
}

function secured(pair: { cert: Buffer; key: Buffer }) {
  return {
    ...{ ...patience, ...pair, handshakeTimeout: handshakeMs, minVersion: 'TLSv1.2' as const },
    ALPNProtocols: ['h2', 'http/1.1'],
  };
}
