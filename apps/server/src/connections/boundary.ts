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

/** Codes of the errors with which Node ends a silent connection. */
const silentCodes = new Set(['ERR_HTTP_REQUEST_TIMEOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT']);
const causeOf = ({ code = '' }: NodeJS.ErrnoException) => (silentCodes.has(code) ? 'silent' : 'connection');

const firstByteMs = 10_000;

/** Ends a connection when its client has sent nothing `silentMs` after it connected. */
export function endSilentConnections(server: Server, boundary: ErrorBoundary, silentMs = firstByteMs): void {
  server.on('connection', (socket) => {
    if (socket.destroyed) return;
    // Counts bytes at the system socket, since libraries read past this object.
    const timer = setTimeout(() => socket.bytesRead === 0 && boundary.end(socket, 'silent'), silentMs);
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Handles the errors of each connection of a server for its whole life. When one library hands a socket to the next
 * (TLS, HTTP, an upgrade), neither of them listens for errors for a moment.
 */
export function handleConnectionErrors(server: Server, boundary: ErrorBoundary): void {
  const handle = (socket: Socket) => {
    socket.once('error', (error) => boundary.end(socket, causeOf(error), error)).on('error', ignore);
  };
  const isSecure = server instanceof SecureServer;
  // With TLS, an error of the underlying socket is also emitted by the TLS socket.
  server.prependListener('connection', isSecure ? (socket: Socket) => void socket.on('error', ignore) : handle);
  if (!isSecure) return;
  server.prependListener('secureConnection', handle);
  server.on('tlsClientError', (error, socket) => boundary.end(socket, causeOf(error), error));
}
