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
  { arrivalMs, unusedMs, usedMs } = waiting,
): HTTP2 {
  const sessions = new Set<ServerHttp2Session>();
  const requests = createServer(onRequest);

  function take(socket: Socket): void {
    const session = performServerHandshake(socket, limits);
    let [open, isUsed] = [0, false];
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A client that goes, or breaks the protocol, is only let go; so is one of its streams.
    session.on('error', () => session.destroy());
    session.setTimeout(unusedMs);
    // Headers that never end would hold up a gentler way.
    session.on('timeout', () => open === 0 && session.destroy());
    session.on('stream', (opened, headers, flags, rawHeaders) => {
      const stream = opened as Stream;
      // Opened and reset at once.
      if (stream.destroyed) return;
      stream.on('error', () => stream.destroy());
      if (!isUsed) session.setTimeout(usedMs);
      isUsed = true;
      open += 1;
      stream.once('close', () => {
        open -= 1;
      });
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) === 0) expectTheRest(stream, arrivalMs);
      if (isGrpc(headers)) onGrpc(stream, headers, socket);
      else requests.emit('stream', stream, headers, flags, rawHeaders);
    });
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

function isGrpc({ 'content-type': type }: Headers): boolean {
  return type?.includes('application/grpc') === true;
}

function expectTheRest(stream: Stream, arrivalMs: number): void {
  const slow = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), arrivalMs);
  const arrived = () => clearTimeout(slow);
  stream.once('end', arrived).once('close', arrived);
}
