import { allOperations, notServed, type Operation, parseRequest, pathParameters, routePath } from '@hilltop/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type CallDependencies, type Handler, perform, refuseBeforeBody } from './call.ts';
import { type AddressedOperation, OperationPaths, operationsBelow } from './operation-paths.ts';
import { answerJSON } from './written-list.ts';

/** The handler of each unary operation. */
export type OperationHandlers = ReadonlyMap<Operation, Handler<Operation>>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller for the log: `user 3`. Empty until the caller is known. */
    caller: string;
    /** What `OperationPaths` found. */
    addressed: AddressedOperation | undefined;
  }
}

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<string> | FastifyReply;

/** The operations that `OperationPaths` finds. Those with large bodies have routes of their own, with their limits. */
export function operationsByPath(handlers: OperationHandlers): OperationPaths {
  return new OperationPaths([...handlers.keys()].filter(({ largestBody }) => largestBody === undefined));
}

/** Adds routes for all operations. Answers the handler of GET requests, which share their route with websockets. */
export function mountOperations(
  app: FastifyInstance,
  needs: CallDependencies,
  handlers: OperationHandlers,
): RouteHandler {
  const handler: RouteHandler = (request, reply) => {
    const operation = request.addressed?.operation;
    return operation
      ? answer(needs, operation, handlers.get(operation)!, request, reply)
      : refuseUnknown(request, reply);
  };
  app.route({ method: ['POST', 'PUT', 'DELETE'], url: `${operationsBelow}*`, handler });
  for (const [operation, handle] of handlers)
    if (operation.largestBody !== undefined)
      app.route({
        method: operation.method,
        url: routePath(operation),
        config: { operation },
        ...largeBody(needs, operation),
        handler: (request, reply) => answer(needs, operation, handle, request, reply),
      });
  return handler;
}

/** Finds the operation of each request before other hooks run. */
export function addressOperations(app: FastifyInstance, paths: OperationPaths): void {
  app.decorateRequest('addressed', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    // Routes without `*` are more specific.
    if ('*' in (request.params as object)) request.addressed = paths.find(request.method, request.url);
    done();
  });
}

export function operationOf(request: FastifyRequest): Operation | undefined {
  // Fastify makes new route options for each look at them.
  return request.addressed?.operation ?? (request.routeOptions.config as { operation?: Operation }).operation;
}

/** Only callers that may make the call send a body larger than the usual limit. */
function largeBody(needs: CallDependencies, operation: Operation) {
  return {
    preParsing: async ({ headers, ip: address, params }: FastifyRequest) =>
      refuseBeforeBody(needs, operation, partInPath(operation, params), { headers, address }),
  };
}

/** The part of a request that its path has; nothing of it has been checked. */
function partInPath(operation: Operation, params: unknown): object {
  const values = Object.values(params as Record<string, string>);
  const known = pathParameters(operation).flatMap(({ path }, at) =>
    path.length === 1 ? [[path[0]!, values[at]]] : [],
  );
  return Object.fromEntries(known) as object;
}

async function answer(
  needs: CallDependencies,
  operation: Operation,
  handle: Handler<Operation>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const { id: requestID, ip: address, headers } = request;
  const response = await perform(needs, operation, handle, {
    requestID,
    address,
    headers,
    isSecure: request.protocol === 'https',
    log: request.log as Logger,
    tell: (header, value) => void reply.header(header, value),
    known: (caller) => {
      request.caller = caller;
    },
    read: () => parseRequest(operation, rawRequest(request)),
  });
  const text = answerJSON(operation.response, response);
  if (operation.method === 'GET') needs.largeAnswers.reserve(reply.raw, address, text.length);
  // With the charset, Fastify need not add it.
  reply.header('Content-Type', 'application/json; charset=utf-8');
  reply.header('Grpc-Metadata-Content-Type', 'application/grpc');
  // Fastify would wait for a returned reply to be sent, which costs five listeners.
  return text;
}

export function rawRequest({ addressed, params, query, body }: FastifyRequest) {
  return {
    path: addressed?.values ?? Object.values(params as Record<string, string>),
    query: query as Record<string, string | string[]>,
    body,
  };
}

/** Matches the path of each operation. Compiled for the first unknown address. */
let operationPaths: RegExp | undefined;

/** Answers an address that no route has. A path with a wrong method has its own error. */
export function refuseUnknown({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  operationPaths ??= new RegExp(
    `^(${[...allOperations, ...notServed].map(routePath).join('|').replaceAll(/:\w+/g, '[^/]+')})$`,
  );
  const [path = ''] = url.split('?');
  if (operationPaths.test(path)) return reply.code(405).type('text/plain').send('Method Not Allowed');
  return reply.code(404).type('text/plain').send('Not Found');
}
