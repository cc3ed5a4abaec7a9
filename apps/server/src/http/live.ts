import websocket from '@fastify/websocket';
import { allOperations, type Operation, routePath } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';
import type { Needs } from '../needs.ts';
import { tokenOf } from './authentication.ts';
import { isForeign } from './cross-origin.ts';
import { chunkedOutlet } from './live-chunked.ts';
import { liveSources } from './live-sources.ts';
import { runStream } from './live-stream.ts';
import { socketOutlet } from './live-websocket.ts';
import { rawRequest } from './operations.ts';

const protocol = 'Bearer';
/** Of the other websockets here: a client that offers one is told that it is understood. */
const others = ['mqtt'];

/**
 * Streaming operations: each is one GET path, as websocket (token as sub-protocol, so that browsers can send it) and as
 * a plain response that goes on, one JSON object per line.
 */
export async function liveStreams(app: FastifyInstance, needs: Needs): Promise<void> {
  const endings = new Set<() => void>();
  await app.register(websocket, {
    options: {
      maxPayload: 64 << 10,
      handleProtocols: (offered) =>
        offered.has(protocol) ? protocol : (others.find((one) => offered.has(one)) ?? false),
    },
    // A client that breaks the protocol is only let go.
    errorHandler: (error, socket, request) => {
      request.log.debug({ err: error }, 'a websocket failed');
      socket.terminate();
    },
    preClose: (done) => {
      for (const end of endings) end();
      app.websocketServer.close(() => done());
    },
  });
  app.route({
    method: 'GET',
    url: '/api/*',
    handler: (_request, reply) => reply.code(404).type('text/plain').send('Not Found'),
    wsHandler: (socket) => {
      socket.send('Not Found');
      socket.close();
    },
  });
  const sources = liveSources(needs);
  for (const operation of allOperations.filter(({ stream }) => stream)) {
    const source = sources[operation.key];
    if (!source) throw new Error(`The stream ${operation.key} has no source.`);
    const start = (token: string | null, raw: ReturnType<typeof rawRequest>, outlet: Parameters<typeof runStream>[2]) =>
      runStream(needs, { operation, source, token, raw }, outlet, endings);
    app.route({
      method: 'GET',
      url: routePath(operation),
      config: { operation } as { operation: Operation },
      handler: async (request, reply) => {
        await start(tokenOf(request.headers), rawRequest(request), chunkedOutlet(request, reply));
        return reply;
      },
      wsHandler: (socket, request) => {
        const { host } = request;
        const { origin, cookie, 'sec-websocket-protocol': protocols } = request.headers;
        const token = tokenOfProtocols(protocols) ?? tokenOfCookie(cookie);
        void start(
          token,
          rawRequest(request),
          socketOutlet(socket, { isForeign: isForeign(origin, host, needs.config.corsAllowOrigin) }),
        );
      },
    });
  }
}

/** For programs that cannot choose sub-protocols. Browsers send along what others on this host call `token`. */
function tokenOfCookie(cookie: string | undefined): string | null {
  return /(?:^|;\s*)token=([^;\s]+)/.exec(cookie ?? '')?.[1] ?? null;
}

/** `Bearer, <jwt>`: the sub-protocols the client offers. */
function tokenOfProtocols(offered: string | undefined): string | null {
  const [first, token] = (offered ?? '').split(',').map((part) => part.trim());
  return first === protocol && token ? token : null;
}
