import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
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
/** A request arrives as a whole within this, as with HTTP/1.1. */
const arrivalMs = 30_000;
/** Without any stream and any frame: at first, and once it has made a call. */
const idleMs = { unused: 30_000, used: 300_000 } as const;
const patienceMs = 2000;

export type Stream = ServerHttp2Stream;
export type Headers = IncomingHttpHeaders;

/** HTTP/2 on connections that somebody else has accepted. */
export interface HTTP2 {
  take: (socket: Socket) => void;
  /** Says that no more streams are taken, and lets those under way finish, for 2 s at most. */
  stop: () => Promise<void>;
}

/** Streams that are gRPC go to `onGrpc`, all others are requests like those of HTTP/1.1. */
export function createHTTP2(
  onRequest: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  onGrpc: (stream: Stream, headers: Headers) => void,
): HTTP2 {
  /** With the number of their open streams. */
  const sessions = new Map<ServerHttp2Session, { open: number }>();
  const requests = createServer(onRequest);
  const server = createServer(limits);

  function countStream(stream: Stream): void {
    const { session } = stream;
    const count = session && sessions.get(session as ServerHttp2Session);
    if (!count) return;
    count.open += 1;
    session.setTimeout(idleMs.used);
    stream.once('close', () => {
      count.open -= 1;
    });
  }

  server.on('stream', (opened, headers, flags, rawHeaders) => {
    const stream = opened as Stream;
    // A client that goes, or breaks the protocol, is only let go.
    stream.on('error', () => stream.destroy());
    countStream(stream);
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) === 0) expectTheRest(stream);
    if (isGrpc(headers)) onGrpc(stream, headers);
    else requests.emit('stream', stream, headers, flags, rawHeaders);
  });
  server.on('session', (session) => {
    sessions.set(session, { open: 0 });
    session.on('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
    session.setTimeout(idleMs.unused);
    session.on('timeout', () => sessions.get(session)?.open === 0 && session.close());
  });
  server.on('sessionError', (_error, session) => session.destroy());
  return {
    take: (socket) => {
      server.emit('connection', socket);
    },
    stop: async () => {
      const open = [...sessions.keys()];
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

function expectTheRest(stream: Stream): void {
  const slow = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), arrivalMs);
  const arrived = () => clearTimeout(slow);
  stream.once('end', arrived).once('close', arrived);
}
