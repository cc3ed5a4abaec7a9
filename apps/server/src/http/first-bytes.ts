import type { Server, Socket } from 'node:net';
import type { ErrorBoundary } from '@hilltop/network-server';

/** The preface of HTTP/2 begins with a method that is reserved for it (RFC 9113, 3.4). */
const beginning = Buffer.from('PRI ');
/** A client must send its first bytes within this time. */
const firstWordMs = 10_000;

/**
 * Recognizes HTTP/2 on the connections of an HTTP/1.1 server by the first bytes, and passes these connections to
 * `takeHTTP2`. With TLS as well, since old clients negotiate no protocol. `event` is the one at which the server begins
 * to read.
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
      // The bytes so far may be a part of the preface.
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
