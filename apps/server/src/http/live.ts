import websocket from '@fastify/websocket';
import { allOperations, type Operation, parseRequest, refusal, routePath } from '@hilltop/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BoundaryDependencies, connectionBoundary } from '../connections/boundary.ts';
import { tokenOf } from './authentication.ts';
import { isForeign } from './cross-origin.ts';
import { chunkedOutlet } from './live-chunked.ts';
import { type LiveSources, type Outlet, runStream, type StreamCall, type StreamDependencies } from './live-stream.ts';
import { socketOutlet } from './live-websocket.ts';
import { operationsBelow } from './operation-paths.ts';
import { type mountOperations, rawRequest } from './operations.ts';
import { createRightsChecks } from './rights-checks.ts';
import type { ClientSettings } from './settings.ts';

const protocol = 'Bearer';
/** Sub-protocols of other websockets of this server: a client that offers one gets it confirmed. */
const others = ['mqtt'];

/** Runs streaming operations, whichever protocol opened them. */
export interface Live {
  run: (call: StreamCall, outlet: Outlet) => Promise<void>;
  /** Ends all streams with code 14, and those that are opened later. */
  stop: () => void;
}

export function createLive(needs: StreamDependencies, all: LiveSources): Live {
  const endings = new Set<() => void>();
  const rounds = createRightsChecks();
  let isStopped = false;
  const sources = new Map(
    allOperations
      .filter(({ stream }) => stream)
      .map(({ key }) => {
        const source = all[key];
        if (!source) throw new Error(`The stream ${key} has no source.`);
        return [key, source];
      }),
  );
  return {
    run: async (call, outlet) => {
      if (isStopped) return outlet.end(refusal('STOPPING'));
      await runStream(needs, { ...call, source: sources.get(call.operation.key)! }, outlet, { endings, rounds });
    },
    stop: () => {
      isStopped = true;
      for (const end of endings) end();
    },
  };
}

/**
 * Mounts the streaming operations. Each is one GET path, as websocket (with the token as sub-protocol, so that browsers
 * can send it) and as a chunked response with one JSON object per line.
 */
export async function mountStreams(
  app: FastifyInstance,
  needs: BoundaryDependencies & { config: Pick<ClientSettings, 'corsAllowOrigin'> },
  { live, handleGet }: { live: Live; handleGet: ReturnType<typeof mountOperations> },
): Promise<void> {
  const { config } = needs;
  const boundary = connectionBoundary('websocket', needs);
  await app.register(websocket, {
    options: {
      maxPayload: 64 << 10,
      handleProtocols: (offered) =>
        offered.has(protocol) ? protocol : (others.find((one) => offered.has(one)) ?? false),
    },
    // A client that violates the protocol is only disconnected.
    errorHandler: (error, socket) => boundary.end(socket, 'connection', error),
    preClose: (done) => {
      live.stop();
      app.websocketServer.close(() => done());
    },
  });
  app.route({
    method: 'GET',
    url: `${operationsBelow}*`,
    handler: handleGet,
    wsHandler: (socket) => {
      socket.send('Not Found');
      socket.close();
    },
  });
  for (const operation of allOperations.filter(({ stream }) => stream)) {
    const start = (token: string | null, request: FastifyRequest, outlet: Outlet) => {
      const raw = rawRequest(request);
      return live.run({ operation, token, address: request.ip, read: () => parseRequest(operation, raw) }, outlet);
    };
    app.route({
      method: 'GET',
      url: routePath(operation),
      config: { operation } as { operation: Operation },
      handler: async (request, reply) => {
        await start(tokenOf(request.headers), request, chunkedOutlet(request, reply));
        return reply;
      },
      wsHandler: (socket, request) => {
        const { host } = request;
        const { origin, cookie, 'sec-websocket-protocol': protocols } = request.headers;
        const token = tokenOfProtocols(protocols) ?? tokenOfCookie(cookie);
        const outlet = socketOutlet(socket, { isForeign: isForeign(origin, host, config.corsAllowOrigin) });
        boundary.guard(socket, start)(token, request, outlet);
      },
    });
  }
}

/**
 * For programs that cannot choose sub-protocols. Browsers also send cookies named `token` that other programs on this
 * host have set.
 */
function tokenOfCookie(cookie: string | undefined): string | null {
  return /(?:^|;\s*)token=([^;\s]+)/.exec(cookie ?? '')?.[1] ?? null;
}

/** `Bearer, <jwt>`: the sub-protocols that the client offers. */
function tokenOfProtocols(offered: string | undefined): string | null {
  const [first, token] = (offered ?? '').split(',').map((part) => part.trim());
  return first === protocol && token ? token : null;
}
