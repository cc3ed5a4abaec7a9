import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { ApiError, passedOn, refusal } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import { as, fromBinary, type Message, methodPath, RpcError, toBinary } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import { handleConnectionErrors } from '../connections/boundary.ts';
import { networkOf } from '../connections/network-of.ts';
import { createQuota } from '../connections/quota.ts';
import { unfinishedBytes } from '../connections/unfinished-bytes.ts';
import { createAnswer, type GrpcAnswer } from '../http/grpc/answer.ts';
import { decompress } from '../http/grpc/gzip.ts';
import { type Collected, collectMessage } from '../http/grpc/messages.ts';
import { createHTTP2, type Headers, type Stream } from '../http/http2.ts';

/** The contents of the certificate files for gRPC with TLS. */
export interface TLSFiles {
  /** The CA of client certificates; null accepts every client. */
  ca: Buffer | null;
  cert: Buffer;
  key: Buffer;
}

const serviceName = as.ApplicationServerService.typeName;

interface Method {
  name: string;
  request: Message;
  response: Message;
  handle: (request: object) => Promise<object>;
}

/** Network servers keep their connections, with and without calls. */
const patience = { arrivalMs: 30_000, unusedMs: 0, usedMs: 0 };
const handshake = { handshakeTimeout: 10_000, minVersion: 'TLSv1.2', ALPNProtocols: ['h2'] } as const;

interface ServeOptions {
  boundary: ErrorBoundary;
  log: Logger;
}

/** Serves `as.ApplicationServerService` on connections that another server has accepted. */
export function serveCallbacks(
  tls: TLSFiles | null,
  callbacks: as.ApplicationServerService,
  { boundary, log }: ServeOptions,
) {
  const methods = methodsOf(callbacks);
  const quota = createQuota(unfinishedBytes);

  function onCall(stream: Stream, headers: Headers, socket: Socket): void {
    const answer = createAnswer(stream, { 'content-type': 'application/grpc' }, boundary);
    const path = headers[':path'] ?? '';
    const method = methods.get(path);
    if (!method) return void answer.end(refusal('UNKNOWN_METHOD', { service: serviceName, method: path }));
    const mayBeCompressed = headers['grpc-encoding'] === 'gzip';
    const owner = networkOf(socket.remoteAddress ?? '');
    collectMessage(stream, { quota, owner, mayBeCompressed, boundary }, (error, message) => {
      if (error) answer.end(error);
      else boundary.guard(stream, () => respond(method, message, answer, log))();
    });
  }

  const http2 = createHTTP2(refuseOther, onCall, boundary, patience);
  return { take: tls ? secured(tls, http2.take, boundary) : http2.take, stop: http2.stop };
}

function methodsOf(callbacks: as.ApplicationServerService): ReadonlyMap<string, Method> {
  const service = as.ApplicationServerService;
  const methods = Object.entries(service.methods).map(([name, [request, response]]) => {
    const handle = callbacks[name as keyof typeof callbacks] as Method['handle'];
    return [methodPath(service, name), { name, request, response, handle }] as const;
  });
  return new Map(methods);
}

async function respond(
  { name, request, response, handle }: Method,
  { bytes, isCompressed }: Collected,
  answer: GrpcAnswer,
  log: Logger,
): Promise<void> {
  try {
    const given = parse(request, isCompressed ? await decompress(bytes) : bytes);
    answer.end(undefined, toBinary(response, (await handle(given)) as never));
  } catch (error) {
    answer.end(toAnswer(error, name, log));
  }
}

function parse(request: Message, bytes: Uint8Array): object {
  try {
    return fromBinary(request, bytes);
  } catch (error) {
    throw refusal('NOT_PROTOBUF', { problem: (error as Error).message });
  }
}

function toAnswer(error: unknown, name: string, log: Logger): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RpcError) return passedOn(error);
  log.error({ err: error }, `${name} of a remote network server failed`);
  return passedOn(new RpcError('Internal', 'It could not be handled. The log of the application server says why.'));
}

function refuseOther(_request: Http2ServerRequest, response: Http2ServerResponse): void {
  response.writeHead(415, { 'content-type': 'text/plain' }).end('Network servers call this port by gRPC.');
}

/** Takes connections with TLS. */
function secured({ ca, cert, key }: TLSFiles, take: (socket: Socket) => void, boundary: ErrorBoundary) {
  const clients = ca ? { ca, requestCert: true, rejectUnauthorized: true } : {};
  const server = createSecureServer({ ...handshake, cert, key, ...clients }, take);
  handleConnectionErrors(server, boundary);
  return (socket: Socket) => void server.emit('connection', socket);
}
