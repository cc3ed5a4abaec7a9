import { randomUUID } from 'node:crypto';
import {
  allOperations,
  errorBody,
  notServed,
  type Operation,
  type Operations,
  operations,
  refusal,
} from '@hilltop/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { readFileLimit } from '../connections/file-limit.ts';
import { namesOneHost } from '../connections/hosts.ts';
import { createQuota } from '../connections/quota.ts';
import { sharesOf } from '../connections/share.ts';
import type { Needs } from '../needs.ts';
import { applicationRoutes } from '../resources/application/routes.ts';
import { connectingRoutes } from '../resources/connecting/routes.ts';
import { atHolder } from '../resources/delivery/at-holder.ts';
import { deliveryRoutes } from '../resources/delivery/routes.ts';
import { deviceRoutes } from '../resources/device/routes.ts';
import { profileDefaultsRoutes } from '../resources/device-profile/defaults.ts';
import { deviceProfileRoutes } from '../resources/device-profile/routes.ts';
import { deviceQueueRoutes } from '../resources/device-queue/routes.ts';
import { firstStepsRoutes } from '../resources/first-steps/routes.ts';
import { gatewayCertificateRoutes } from '../resources/gateway/certificates.ts';
import { gatewayDiscoveryRoutes } from '../resources/gateway/discovery.ts';
import { gatewayRoutes } from '../resources/gateway/routes.ts';
import { gatewayPlaceRoutes } from '../resources/gateway-place/routes.ts';
import { gatewayProfileRoutes } from '../resources/gateway-profile/routes.ts';
import { importV3Routes } from '../resources/import-v3/routes.ts';
import { instanceRoutes } from '../resources/instance/routes.ts';
import { signingSecretRoutes } from '../resources/integration/signing-secret.ts';
import { integrityRoutes } from '../resources/integrity/routes.ts';
import { serveLogout } from '../resources/internal/logout.ts';
import { internalRoutes } from '../resources/internal/routes.ts';
import { listeningRoutes } from '../resources/listening/routes.ts';
import { mqttRoutes } from '../resources/mqtt/routes.ts';
import { multicastGroupRoutes } from '../resources/multicast-group/routes.ts';
import { networkServerRoutes } from '../resources/network-server/routes.ts';
import { organizationRoutes } from '../resources/organization/routes.ts';
import { radioRoutes } from '../resources/radio/routes.ts';
import { serviceProfileRoutes } from '../resources/service-profile/routes.ts';
import { sessionRoutes } from '../resources/session/routes.ts';
import { userRoutes } from '../resources/user/routes.ts';
import { serveSingleSignOn } from '../single-sign-on/routes.ts';
import { serveApiConsole } from './api-console.ts';
import type { Handler, Handlers } from './call.ts';
import { callLog } from './call-log.ts';
import { compressAnswers } from './compression.ts';
import { answerPreflights } from './cross-origin.ts';
import { serveDocuments } from './documents.ts';
import { RetryLater, toApiError } from './errors.ts';
import { createGrpc } from './grpc/serve.ts';
import { securityHeadersOf, sendSecurityHeaders } from './headers.ts';
import { createLargeAnswers } from './large-answers.ts';
import { createLive, liveStreams } from './live.ts';
import { readFormsAsQueries, takeMethodOverride } from './method-override.ts';
import { serveMQTT } from './mqtt-websocket.ts';
import { refuseNotServed } from './not-served.ts';
import { type HandlerOf, mountOperations, refuseOtherMethods } from './operations.ts';
import { createPort } from './port.ts';
import { createRateLimit } from './rate-limit.ts';
import type { Readiness } from './readiness.ts';
import { sendTogether } from './send-together.ts';
import { serveState } from './state.ts';
import { serveConsole } from './static.ts';
import { serveSwagger } from './swagger.ts';
import { refuseUnreadable } from './unreadable.ts';

/** The contract checks what is asked. What Fastify brings for routes with schemas, a hundred files, is not loaded. */
const withoutSchemas = (): never => {
  throw new Error('No route has a schema: the contract says what it takes.');
};

/** One line per resource: what answers its operations. */
const resources: { [R in keyof Operations]: (needs: Needs) => Handlers<Operations[R]> } = {
  internal: internalRoutes,
  session: sessionRoutes,
  integrity: integrityRoutes,
  instance: instanceRoutes,
  importV3: importV3Routes,
  firstSteps: firstStepsRoutes,
  user: userRoutes,
  organization: organizationRoutes,
  networkServer: networkServerRoutes,
  radio: radioRoutes,
  gatewayProfile: gatewayProfileRoutes,
  serviceProfile: serviceProfileRoutes,
  deviceProfile: deviceProfileRoutes,
  profileDefaults: profileDefaultsRoutes,
  gateway: gatewayRoutes,
  gatewayPlace: gatewayPlaceRoutes,
  gatewayCertificate: gatewayCertificateRoutes,
  connecting: connectingRoutes,
  gatewayDiscovery: gatewayDiscoveryRoutes,
  application: applicationRoutes,
  delivery: (needs) => atHolder(needs, deliveryRoutes(needs)),
  integration: signingSecretRoutes,
  mqtt: mqttRoutes,
  device: deviceRoutes,
  deviceQueue: deviceQueueRoutes,
  listening: listeningRoutes,
  multicastGroup: multicastGroupRoutes,
};

const megabyte = 1024 * 1024;
/** Node takes no longer address; what is no id of ours is refused by the contract, not by the router. */
const longestParameter = 16 * 1024;

/** Bytes of gRPC requests under way, in all and from one address. */
const heldBytes = { all: 256 * megabyte, each: 64 * megabyte };

/** The HTTP side of the server: the API, its documents, the console, health and metrics. */
export interface HTTPSide {
  /** Not listening yet. */
  app: FastifyInstance;
  /** Everything else has started. */
  ready: () => void;
  /** Sends whoever is here elsewhere, and goes on answering. */
  leave: () => void;
}

export async function createApp(needs: Needs): Promise<HTTPSide> {
  const readiness: Readiness = { is: 'starting' };
  const headers = await securityHeadersOf(needs.config);
  const port = await createPort(needs);
  const app = Fastify({
    loggerInstance: needs.log as never,
    genReqId: () => randomUUID(),
    logController: new LogController({ requestIdLogLabel: 'requestID', disableRequestLogging: true }),
    childLoggerFactory: callLog,
    bodyLimit: megabyte,
    forceCloseConnections: 'idle',
    serverFactory: port.serverFactory,
    rewriteUrl: takeMethodOverride,
    trustProxy: needs.config.trustProxy.length > 0 && needs.config.trustProxy,
    // Whoever comes by a connection that is about to be closed is served.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestParameter },
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    clientErrorHandler: refuseUnreadable(headers) as never,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      reply.code(404).headers(headers).type('text/plain').send('Not Found');
    },
  }) as unknown as FastifyInstance;

  app.decorateRequest('caller', '');
  sendSecurityHeaders(app, headers);
  // Answered here: the routes of the console answer every error with 404.
  app.addHook('onRequest', (request, reply, done) => {
    const { rawHeaders, httpVersion, headers: received } = request.raw;
    if (!namesOneHost(rawHeaders)) refuse(refusal('TWO_HOSTS'), request, reply);
    else if (httpVersion === '1.1' && received.host === undefined) refuse(refusal('NO_HOST'), request, reply);
    else done();
  });
  answerPreflights(app, needs.config.corsAllowOrigin);
  compressAnswers(app);
  sendTogether(app);
  readFormsAsQueries(app);
  readBodiesAsJSON(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('Grpc-Metadata-Ctx-Id', request.id);
    if (readiness.is === 'leaving' && request.raw.httpVersionMajor === 1) reply.header('Connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    note(needs, request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply));

  const rateLimit = createRateLimit(needs, needs.config.rateLimit);
  const largeAnswers = createLargeAnswers();
  const handlers = handlersOf(needs);
  const live = createLive(needs);
  mountOperations(app, { ...needs, rateLimit, largeAnswers }, handlers);
  await liveStreams(app, needs, live);
  const { all, perAddress } = sharesOf(readFileLimit());
  const quotas = { held: createQuota(heldBytes), watching: createQuota({ all, each: perAddress }) };
  port.onGrpc(createGrpc({ ...needs, ...quotas, rateLimit, largeAnswers, handlers, live }));
  app.addHook('preClose', () => port.stop());
  serveMQTT(app, needs);
  refuseNotServed(app);
  refuseOtherMethods(app, [...allOperations, ...notServed]);
  serveLogout(app, needs);
  serveSingleSignOn(app, needs);
  serveSwagger(app);
  await serveApiConsole(app);
  serveState(app, needs, readiness);
  await serveDocuments(app);
  await serveConsole(app);
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

function handlersOf(needs: Needs): HandlerOf {
  const handlers = new Map<Operation, Handler<Operation>>();
  for (const [resource, routes] of Object.entries(resources)) {
    const answering = routes(needs) as Readonly<Record<string, unknown>>;
    for (const [verb, operation] of Object.entries<Operation>(operations[resource as keyof Operations]))
      if (!operation.stream) handlers.set(operation, answering[verb] as Handler<Operation>);
  }
  return handlers;
}

/** Bodies are JSON whatever their type says, and none is an empty message. */
function readBodiesAsJSON(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Fastify looks at the type before any parser does, and some clients send one that is none.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    delete raw.headers['content-type'];
    done();
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, JSON.parse(body as string));
    } catch (error) {
      // The parser quotes what it read, which may be a password.
      const [what] = (error as Error).message.split(/, (?:\.\.\.)?"/);
      done(refusal('NOT_JSON', { problem: what! }));
    }
  });
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const operation = operationOf(request);
  const refusal = toApiError(error, operation);
  // What is not offered is known to be so.
  if (refusal.httpStatus >= 500 && refusal.status !== 'Unimplemented') request.log.error({ err: error }, 'call failed');
  else request.log.debug({ err: error }, 'call refused');
  if (refusal instanceof RetryLater) reply.header('Retry-After', refusal.seconds);
  return reply
    .code(refusal.httpStatus)
    .header('Content-Type', 'application/json')
    .header('Grpc-Metadata-Content-Type', 'application/grpc')
    .send(JSON.stringify(errorBody(refusal)));
}

/** One line and one measurement per call. The address may hold names but never a token. */
function note(needs: Needs, request: FastifyRequest, reply: FastifyReply): void {
  const operation = operationOf(request);
  if (!operation) return;
  const ms = reply.elapsedTime;
  needs.metrics.observeCall(operation.key, reply.statusCode, ms / 1000);
  const caller = request.caller === '' ? undefined : request.caller;
  const { id: requestID } = request;
  const line = { requestID, operation: operation.key, caller, status: reply.statusCode, ms: Math.round(ms * 10) / 10 };
  needs.log.info(line, 'call');
}

function operationOf(request: FastifyRequest): Operation | undefined {
  return (request.routeOptions.config as { operation?: Operation }).operation;
}
