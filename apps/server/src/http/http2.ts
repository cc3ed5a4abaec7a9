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

/** What a connection may ask of us. Streams that are opened and reset in a hurry end it (CVE-2023-44487, Node's limits). */
const limits = {
  settings: { maxConcurrentStreams: 250, maxHeaderListSize: 16 * 1024 },
  /** MB of what waits to be read by a slow client, beyond which it opens no further streams. */
  maxSessionMemory: 64,
} as const;
const waiting = {
  /** A request arrives as a whole within this, as with HTTP/1.1. */
  arrivalMs: 30_000,
  /** Without any stream and any frame: at first, and once it has made a call. */
  unusedMs: 10_000,
  usedMs: 300_000,
};
const patienceMs = 2000;

export type Stream = ServerHttp2Stream;
export type Headers = IncomingHttpHeaders;

/** Who gets a stream that is gRPC, with the connection it came by. */
export type TakeGrpc = (stream: Stream, headers: Headers, socket: Socket) => void;

/** HTTP/2 on connections that somebody else has accepted. */
export interface HTTP2 {
  take: (socket: Socket) => void;
  /** Says that no more streams are taken, and lets those under way finish, for 2 s at most. */
  stop: () => Promise<void>;
}

/** Streams that are gRPC go to `onGrpc`, all others are requests like those of HTTP/1.1. */
export function createHTTP2(
  onRequest: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  onGrpc: TakeGrpc,
  boundary: ErrorBoundary,
  { arrivalMs, unusedMs, usedMs } = waiting,
): HTTP2 {
  const sessions = new Set<ServerHttp2Session>();
  const requests = createServer((request, response) => {
    // Node passes the error of a stream on to its request, where nobody may listen.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    onRequest(request, response);
  });

  function take(socket: Socket): void {
    // Servers of HTTP/1.1 answer clients that have ended their side. Of HTTP/2 these have gone.
    socket.allowHalfOpen = false;
    const session = performServerHandshake(socket, limits);
    let [open, isUsed] = [0, false];
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A client that goes, or breaks the protocol, is only let go; so is one of its streams.
    session.on('error', (error) => {
      // What broke the socket is counted there.
      if (!socket.errored) boundary.count('connection', error);
      session.destroy();
    });
    session.setTimeout(unusedMs);
    // Headers that never end would hold up a gentler way.
    session.on('timeout', () => open === 0 && boundary.end(session, 'silent'));
    const onStream = (stream: Stream, headers: Headers, flags: number, rawHeaders: string[]) => {
      // Before anything else: a stream that was reset at once still has an error to say.
      stream.on('error', () => stream.destroy());
      if (stream.destroyed) return;
      // Without this a stream that the client has ended is closed but not destroyed until its data was read, and to
      // answer it throws.
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
      const patience = setTimeout(() => {
        for (const session of open) session.destroy();
      }, patienceMs);
      await closed;
      clearTimeout(patience);
    },
  };
}

/** Clients of gRPC make code 13 of it. */
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
    // A socket that is destroyed during the close sends no GOAWAY to the client.
    stream.off('aborted', destroyAborted).close(constants.NGHTTP2_CANCEL);
    stream.destroy();
  }, arrivalMs);
  const arrived = () => clearTimeout(slow);
  stream.once('end', arrived).once('close', arrived);
}
