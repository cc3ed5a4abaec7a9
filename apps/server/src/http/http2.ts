import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { refusal } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import { namesOneHost } from '../connections/hosts.ts';

/** Limits of one connection. Node ends it when it opens and resets streams too fast (CVE-2023-44487). */
const limits = {
  settings: { maxConcurrentStreams: 250, maxHeaderListSize: 16 * 1024 },
  /** The connection opens no further streams while more MB wait for a slow client. */
  maxSessionMemory: 64,
} as const;
const waiting = {
  /** A request must arrive completely within this time, as with HTTP/1.1. */
  arrivalMs: 30_000,
  /** The longest time without streams and frames: before the first call, and after a call. */
  unusedMs: 10_000,
  usedMs: 300_000,
};
const patienceMs = 2000;

export type Stream = ServerHttp2Stream;
export type Headers = IncomingHttpHeaders;

/** Takes a gRPC stream with its headers and the connection. */
export type TakeGrpc = (stream: Stream, headers: Headers, socket: Socket) => void;

/** HTTP/2 on connections that another server has accepted. */
export interface HTTP2 {
  take: (socket: Socket) => void;
  /** Accepts no more streams, and lets those under way finish, for 2 s at most. */
  stop: () => Promise<void>;
}

/** Passes gRPC streams to `onGrpc`; all others are handled as requests of HTTP/1.1. */
export function createHTTP2(
  onRequest: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  onGrpc: TakeGrpc,
  boundary: ErrorBoundary,
  { arrivalMs, unusedMs, usedMs } = waiting,
): HTTP2 {
  const sessions = new Set<ServerHttp2Session>();
  const requests = createServer((request, response) => {
    // Node passes the error of a stream on to its request, which may have no listener.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    onRequest(request, response);
  });

  function take(socket: Socket): void {
    // Servers of HTTP/1.1 still answer clients that have closed their sending direction. Clients of HTTP/2 have
    // disconnected then.
    socket.allowHalfOpen = false;
    const session = performServerHandshake(socket, limits);
    let [open, isUsed] = [0, false];
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // When a client disconnects or violates the protocol, only its session or stream ends.
    session.on('error', (error) => {
      // The boundary counts errors of the socket itself.
      if (!socket.errored) boundary.count('connection', error);
      session.destroy();
    });
    session.setTimeout(unusedMs);
    // Headers that never end would prevent a graceful close.
    session.on('timeout', () => open === 0 && boundary.end(session, 'silent'));
    const onStream = (stream: Stream, headers: Headers, flags: number, rawHeaders: string[]) => {
      // Registered first: a stream that was reset at once still emits an error.
      stream.on('error', () => stream.destroy());
      if (stream.destroyed) return;
      // Without this, a stream that the client has ended is closed but not destroyed until its data was read, and
      // answering it throws.
      stream.once('aborted', destroyAborted);
      if (!isUsed) session.setTimeout(usedMs);
      isUsed = true;
      open += 1;
      stream.once('close', () => {
        open -= 1;
      });
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) === 0) expectTheRest(stream, arrivalMs);
      if (isGrpc(headers) && !namesOneHost(rawHeaders)) refuse(stream);
      else if (isGrpc(headers)) onGrpc(stream, headers, socket);
      else requests.emit('stream', stream, headers, flags, rawHeaders);
    };
    session.on('stream', (stream, ...given) => boundary.guard(stream, onStream)(stream as Stream, ...given));
  }

  return {
    take,
    stop: async () => {
      const open = [...sessions];
      const closed = Promise.all(open.map((session) => new Promise((done) => session.once('close', done))));
      for (const session of open) session.close();
      const timeout = setTimeout(() => {
        for (const session of open) session.destroy();
      }, patienceMs);
      await closed;
      clearTimeout(timeout);
    },
  };
}

/** gRPC clients map this to code 13. */
function refuse(stream: Stream): void {
  stream.respond({ ':status': 400, 'content-type': 'text/plain' });
  stream.resume().end(refusal('TWO_HOSTS').message);
}

function isGrpc({ 'content-type': type }: Headers): boolean {
  return type?.includes('application/grpc') === true;
}

function destroyAborted(this: Stream): void {
  this.destroy();
}

function expectTheRest(stream: Stream, arrivalMs: number): void {
  const slow = setTimeout(() => {
    // A socket that is destroyed during the close sends no GOAWAY.
    stream.off('aborted', destroyAborted).close(constants.NGHTTP2_CANCEL);
    stream.destroy();
  }, arrivalMs);
  const arrived = () => clearTimeout(slow);
  stream.once('end', arrived).once('close', arrived);
}
