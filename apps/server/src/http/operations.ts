import type { IncomingHttpHeaders } from 'node:http';
import {
  ApiError,
  answerText,
  type Operation,
  parseRequest,
  type RequestOf,
  type ResponseOf,
  routePath,
  unauthenticated,
} from '@hilltop/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Logger } from 'pino';
import { Violation } from '../database/violation.ts';
import type { Needs } from '../needs.ts';
import { checkAccess } from './access.ts';
import { tokenOf } from './authentication.ts';
import { missingReference } from './missing-reference.ts';
import type { Principal } from './principals.ts';
import type { RateLimit } from './rate-limit.ts';

/** What a handler knows about the call besides its request. Access has been checked already. */
export interface Context {
  principal: Principal;
  requestID: string;
  /** Where the call came from, for throttling. */
  address: string;
  /** Whether it came over TLS, to this server or to a proxy in front. */
  isSecure: boolean;
  headers: IncomingHttpHeaders;
  /** Adds a header to the answer. */
  tell: (header: string, value: string) => void;
  /** Puts the request id on each line. */
  log: Logger;
}

export type Handler<O> = (request: RequestOf<O>, context: Context) => Promise<ResponseOf<O>> | ResponseOf<O>;

/** One handler per unary operation of a resource; the compiler lists what is missing. Streams live in `live.ts`. */
export type Handlers<R> = { readonly [Verb in Exclude<keyof R, `stream${string}`>]: Handler<R[Verb]> };

type Needed = Needs & { rateLimit: RateLimit };

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, for the log: `user 3`. Empty while nobody is known. */
    caller: string;
  }
}

/** Makes a route of each operation: read the request, find the caller, check the rules, act, answer. */
export function mountOperations(
  app: FastifyInstance,
  needs: Needed,
  operations: Readonly<Record<string, Operation>>,
  handlers: Readonly<Record<string, unknown>>,
): void {
  for (const [verb, operation] of Object.entries(operations)) {
    if (operation.stream) continue;
    const handle = handlers[verb] as Handler<Operation>;
    app.route({
      method: operation.method,
      url: routePath(operation),
      config: { operation },
      handler: (request, reply) => answer(needs, operation, handle, request, reply),
    });
  }
}

async function answer(
  needs: Needed,
  operation: Operation,
  handle: Handler<Operation>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const principal = await principalOf(needs, request, operation);
  const message = parseRequest(operation, rawRequest(request));
  await checkAccess(needs, operation, message, principal);
  const log = request.log as Logger;
  const { id: requestID, ip: address, headers } = request;
  const isSecure = request.protocol === 'https';
  const tell = (header: string, value: string) => void reply.header(header, value);
  const handled = async () => handle(message, { principal, requestID, address, isSecure, headers, tell, log });
  const response = await handled().catch(async (error: unknown) => {
    const isMissing = error instanceof Violation && error.kind === 'missing';
    throw isMissing ? await missingReference(needs.database, message as object) : error;
  });
  return reply
    .header('Content-Type', 'application/json')
    .header('Grpc-Metadata-Content-Type', 'application/grpc')
    .send(answerText(operation.response, response));
}

/** The caller, by the token of the headers. What is public does not care about tokens, good or bad. */
async function principalOf(
  { principals, rateLimit }: Needed,
  request: FastifyRequest,
  { access }: Operation,
): Promise<Principal> {
  if (access.cases.every((one) => one.allow.includes('public'))) {
    rateLimit.ofAddress(request.ip);
    return null;
  }
  const token = tokenOf(request.headers);
  const found = async () => {
    if (token === null) throw unauthenticated();
    return principals.ofToken(token, { nobody: isUnattended(request) });
  };
  const principal = await found().catch((error: unknown) => {
    if (error instanceof ApiError) rateLimit.ofAddress(request.ip);
    throw error;
  });
  request.caller = `${principal.kind === 'user' ? 'user' : 'API key'} ${principal.id}`;
  rateLimit.ofCaller(principal);
  return principal;
}

/** The console asks again by itself, and says so while nobody is at the screen: that is no use of the session. */
function isUnattended({ headers }: FastifyRequest): boolean {
  return headers['hilltop-unattended'] !== undefined;
}

export function rawRequest({ params, query, body }: FastifyRequest) {
  return {
    path: Object.values(params as Record<string, string>),
    query: query as Record<string, string | string[]>,
    body,
  };
}

const methods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** A known path with a method it does not have is refused as such, not as unknown. */
export function refuseOtherMethods(
  app: FastifyInstance,
  operations: readonly Pick<Operation, 'method' | 'path'>[],
): void {
  const taken = Map.groupBy(operations, routePath);
  for (const [url, there] of taken) {
    const others = methods.filter((method) => !there.some((operation) => operation.method === method));
    app.route({
      method: others,
      url,
      handler: (_request, reply) => reply.code(405).type('text/plain').send('Method Not Allowed'),
    });
  }
}
