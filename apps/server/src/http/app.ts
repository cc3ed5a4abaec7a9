import { randomUUID } from 'node:crypto';
import { errorBody, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Bus } from '../bus/bus.ts';
import { connectionLimits } from '../connections/connection-limits.ts';
import { readFileLimit } from '../connections/file-limit.ts';
import { namesOneHost } from '../connections/hosts.ts';
import { createQuota, type Quota } from '../connections/quota.ts';
import { unfinishedBytes } from '../connections/unfinished-bytes.ts';
import type { Principals } from '../identity/principals.ts';
import type { ThrottleDependencies } from '../identity/shared-throttle.ts';
import { createLineLimit } from '../line-limit.ts';
import type { Metrics } from '../metrics.ts';
import { RetryLater } from '../retry-later.ts';
import { serveApiConsole } from './api-console.ts';
import { readBodiesAsJSON } from './body.ts';
import { CallAudit } from './call-audit.ts';
import { callLog } from './call-log.ts';
import { compressAnswers } from './compression.ts';
import { answerPreflights } from './cross-origin.ts';
import { serveDocuments } from './documents.ts';
import { toApiError } from './errors.ts';
import type { GrpcDependencies } from './grpc-dependencies.ts';
import { type HeaderSettings, type SecurityHeaders, securityHeadersOf, sendSecurityHeaders } from './headers.ts';
import type { TakeGrpc } from './http2.ts';
import { createLargeAnswers } from './large-answers.ts';
import { createLive, mountStreams } from './live.ts';
import type { LiveSources } from './live-stream.ts';
import { refuseMalformed } from './malformed-requests.ts';
import { readFormsAsQueries, takeMethodOverride } from './method-override.ts';
import { refuseNotServed } from './not-served.ts';
import {
  addressOperations,
  mountOperations,
  type OperationHandlers,
  operationOf,
  operationsByPath,
} from './operations.ts';
import { createPort, type Port, type PortDependencies } from './port.ts';
import { createRateLimit } from './rate-limit.ts';
import type { Readiness } from './readiness.ts';
import { batchResponses } from './response-batching.ts';
import type { ClientSettings } from './settings.ts';
import { type StateDependencies, serveState } from './state.ts';
import { serveConsole } from './static.ts';
import { serveSwagger } from './swagger.ts';
import { type CallLines, writeCallLine } from './write-call-line.ts';

/** Node accepts no longer URL. The contract rejects invalid ids, not the router. */
const longestParameter = 16 * 1024;

/** The HTTP server: the API, its documents, the console, health and metrics. */
export interface HTTPSide {
  /** The application, before it listens. */
  app: FastifyInstance;
  /** Call it when everything else has started. */
  ready: () => void;
  /** Directs clients to other instances, and still answers. */
  leave: () => void;
}

export interface AppDependencies extends PortDependencies, StateDependencies, ThrottleDependencies {
  config: PortDependencies['config'] &
    StateDependencies['config'] &
    ClientSettings &
    HeaderSettings & { auditDays: number };
  clock: Clock;
  metrics: Metrics;
  bus: Bus;
  principals: Principals;
}

/** What other parts of the server add to the HTTP server. */
export interface AppRoutes {
  /** The handler of each unary operation. */
  handlers: OperationHandlers;
  /** Serves the same operations as gRPC. */
  createGrpc: (needs: GrpcDependencies) => TakeGrpc;
  /** The item source of each streaming operation. */
  streams: LiveSources;
  /** Functions that add routes other than operations, such as those of single sign-on. */
  others: readonly ((app: FastifyInstance) => void)[];
}

export async function createApp(given: AppDependencies, routes: AppRoutes): Promise<HTTPSide> {
  const needs = { ...given, refusedCallLines: createLineLimit(given, 'refused calls of unknown callers') };
  const readiness: Readiness = { is: 'starting' };
  const headers = await securityHeadersOf(needs.config);
  const port = await createPort(needs);
  const app = createFastify(needs, port, headers);
  addressOperations(app, operationsByPath(routes.handlers));
  const requestBytes = createQuota(unfinishedBytes);
  addHooks(app, needs, { headers, readiness, requestBytes });
  const live = await addRoutes(app, needs, { port, routes, readiness, requestBytes });
  return {
    app,
    ready: () => {
      readiness.is = 'ready';
    },
    leave: () => {
      readiness.is = 'leaving';
      live.stop();
      void port.stop();
    },
  };
}

/** The contract validates requests, so Fastify does not load its validators for schemas, a hundred files. */
const withoutSchemas = (): never => {
  throw new Error('Routes have no schemas: the contract validates requests.');
};

function createFastify({ log, config }: AppDependencies, port: Port, headers: SecurityHeaders): FastifyInstance {
  return Fastify({
    loggerInstance: log as never,
    genReqId: () => randomUUID(),
    logController: new LogController({ requestIdLogLabel: 'requestID', disableRequestLogging: true }),
    childLoggerFactory: callLog,
    forceCloseConnections: 'idle',
    serverFactory: port.serverFactory,
    rewriteUrl: takeMethodOverride,
    trustProxy: config.trustProxy.length > 0 && config.trustProxy,
    // While the server closes, it still answers requests on open connections.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestParameter },
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    clientErrorHandler: refuseMalformed(headers) as never,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      reply.code(404).headers(headers).type('text/plain').send('Not Found');
    },
  }) as unknown as FastifyInstance;
}

/** Adds the hooks for all requests and answers. They run in the order in which they are added. */
function addHooks(
  app: FastifyInstance,
  needs: AppDependencies & CallLines,
  {
    headers,
    readiness,
    requestBytes,
  }: { headers: SecurityHeaders; readiness: Readonly<Readiness>; requestBytes: Quota },
): void {
  app.decorateRequest('caller', '');
  sendSecurityHeaders(app, headers);
  closeAnsweredUpgrades(app);
  requireOneHost(app);
  answerPreflights(app, needs.config.corsAllowOrigin);
  compressAnswers(app);
  batchResponses(app);
  readFormsAsQueries(app, requestBytes);
  readBodiesAsJSON(app, requestBytes);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('Grpc-Metadata-Ctx-Id', request.id);
    if (readiness.is === 'leaving' && request.raw.httpVersionMajor === 1) reply.header('Connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    recordCall(needs, request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply));
}

async function addRoutes(
  app: FastifyInstance,
  needs: AppDependencies & CallLines,
  {
    port,
    routes,
    readiness,
    requestBytes,
  }: { port: Port; routes: AppRoutes; readiness: Readonly<Readiness>; requestBytes: Quota },
) {
  const { handlers, createGrpc, streams, others } = routes;
  const rateLimit = createRateLimit(needs, needs.config.rateLimit);
  const audit = new CallAudit({ ...needs, handlers });
  const calls = { ...needs, rateLimit, audit, largeAnswers: createLargeAnswers() };
  const live = createLive(needs, streams);
  const handleGet = mountOperations(app, calls, handlers);
  await mountStreams(app, needs, { live, handleGet });
  const { all, perAddress } = connectionLimits(readFileLimit());
  const quotas = { requestBytes, streams: createQuota({ all, each: perAddress }) };
  port.onGrpc(createGrpc({ ...calls, quotas, handlers, live }));
  app.addHook('preClose', () => port.stop());
  refuseNotServed(app);
  for (const add of others) add(app);
  serveSwagger(app);
  await serveApiConsole(app);
  serveState(app, needs, readiness);
  await serveDocuments(app);
  await serveConsole(app);
  return live;
}

/**
 * Ends the connection of an upgrade to a websocket that was answered instead. The websocket plugin does so only after its
 * own hook has seen the request, and other hooks may answer before that.
 */
function closeAnsweredUpgrades(app: FastifyInstance): void {
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if ((raw as { upgrade?: boolean | null }).upgrade) raw.socket.destroy();
    done();
  });
}

/** Runs before any route, because those of the console answer every error with 404. */
function requireOneHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { rawHeaders, httpVersion, headers } = request.raw;
    if (!namesOneHost(rawHeaders)) refuse(refusal('TWO_HOSTS'), request, reply);
    else if (httpVersion === '1.1' && headers.host === undefined) refuse(refusal('NO_HOST'), request, reply);
    else done();
  });
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const operation = operationOf(request);
  const refusal = toApiError(error, operation);
  // Unimplemented operations and requests that the client cut off are expected, and not a failure of the server.
  const isExpected = refusal.status === 'Unimplemented' || (request.raw.destroyed && !request.raw.complete);
  if (refusal.httpStatus >= 500 && !isExpected) request.log.error({ err: error }, 'call failed');
  else request.log.debug({ err: error }, 'call refused');
  if (refusal instanceof RetryLater) reply.header('Retry-After', refusal.seconds);
  return reply
    .code(refusal.httpStatus)
    .header('Content-Type', 'application/json')
    .header('Grpc-Metadata-Content-Type', 'application/grpc')
    .send(JSON.stringify(errorBody(refusal)));
}

/** Writes one log line and one measurement per call. The address may contain names but never a token. */
function recordCall(needs: AppDependencies & CallLines, request: FastifyRequest, reply: FastifyReply): void {
  const operation = operationOf(request);
  if (!operation) return;
  const ms = reply.elapsedTime;
  needs.metrics.observeCall(operation.key, reply.statusCode, ms / 1000);
  const caller = request.caller === '' ? undefined : request.caller;
  const { id: requestID } = request;
  writeCallLine(needs, { requestID, operation: operation.key, caller, status: reply.statusCode }, ms);
}
