import type { Server, Socket } from 'node:net';
import { Server as SecureServer } from 'node:tls';
import { type ConnectionProtocol, createErrorBoundary, type ErrorBoundary } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';

export interface BoundaryDependencies {
  metrics: Pick<Metrics, 'count'>;
  log: Logger;
}

/** The error boundary of the connections of one protocol of this server. */
export function connectionBoundary(
  protocol: ConnectionProtocol,
  { metrics, log }: BoundaryDependencies,
): ErrorBoundary {
  return createErrorBoundary(protocol, { count: metrics.count, log });
}

const ignore = () => undefined;

/** Which the errors of Node are by which it ends a connection on which nothing comes. */
const silentCodes = new Set(['ERR_HTTP_REQUEST_TIMEOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT']);
const causeOf = ({ code = '' }: NodeJS.ErrnoException) => (silentCodes.has(code) ? 'silent' : 'connection');

const firstByteMs = 10_000;

/** Ends connections on which the client has sent nothing `silentMs` after it connected. */
export function endSilentConnections(server: Server, boundary: ErrorBoundary, silentMs = firstByteMs): void {
  server.on('connection', (socket) => {
    if (socket.destroyed) return;
    // Read where the system counts, since libraries take the bytes past this socket.
    const timer = setTimeout(() => socket.bytesRead === 0 && boundary.end(socket, 'silent'), silentMs);
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Handles the errors of each connection of a server from its first moment to its last: between the libraries that take
 * turns with a socket (TLS, HTTP, an upgrade) there are moments in which none of them listens for an error.
 */
export function handleConnectionErrors(server: Server, boundary: ErrorBoundary): void {
  const handle = (socket: Socket) => {
    socket.once('error', (error) => boundary.end(socket, causeOf(error), error)).on('error', ignore);
  };
  const isSecure = server instanceof SecureServer;
  // With TLS the error of the socket below is also one of the TLS socket.
  server.prependListener('connection', isSecure ? (socket: Socket) => void socket.on('error', ignore) : handle);
  if (!isSecure) return;
  server.prependListener('secureConnection', handle);
  server.on('tlsClientError', (error, socket) => boundary.end(socket, causeOf(error), error));
}
