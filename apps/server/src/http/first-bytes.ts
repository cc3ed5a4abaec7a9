import type { Server, Socket } from 'node:net';
import type { ErrorBoundary } from '@hilltop/network-server';

/** The preface of HTTP/2 begins with a method that no other protocol may have (RFC 9113, 3.4). */
const beginning = Buffer.from('PRI ');
/** Whoever connects speaks first, and soon. */
const firstWordMs = 10_000;

/**
 * Gives the connections of an HTTP/1.1 server that speak HTTP/2 to somebody else, told by their first bytes: with TLS
 * as well, where old clients choose no protocol. `event` is the one at which the server begins to read.
 */
export function splitOffHTTP2(
  server: Server,
  event: 'connection' | 'secureConnection',
  takeHTTP2: (socket: Socket) => void,
  boundary: ErrorBoundary,
): void {
  const serve = server.listeners(event).at(-1)!;
  server.off(event, serve as () => void);
  server.on(event, (socket: Socket) => {
    if (socket.destroyed) return;
    const silent = setTimeout(() => boundary.end(socket, 'silent'), firstWordMs);
    const gone = () => socket.destroy();
    let seen: Buffer = Buffer.alloc(0);
    const look = boundary.guard(socket, () => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      seen = seen.length === 0 ? bytes : Buffer.concat([seen, bytes]);
      const length = Math.min(seen.length, beginning.length);
      const isHTTP2 = seen.subarray(0, length).equals(beginning.subarray(0, length));
      // What came may be a part of the preface.
      if (isHTTP2 && length < beginning.length) return;
      clearTimeout(silent);
      socket.off('readable', look).off('end', gone);
      socket.unshift(seen);
      if (isHTTP2) takeHTTP2(socket);
      else serve.call(server, socket);
    });
    socket.on('readable', look).on('end', gone);
    socket.once('close', () => clearTimeout(silent));
  });
}
