import type { Server, Socket } from 'node:net';
import { Server as SecureServer } from 'node:tls';
import { type ConnectionProtocol, createErrorBoundary, type ErrorBoundary } from '@hilltop/network-server';
import type { Needs } from '../needs.ts';

/** The error boundary of the connections of one protocol of this server. */
export function connectionBoundary(
  protocol: ConnectionProtocol,
  { metrics, log }: Pick<Needs, 'metrics' | 'log'>,
): ErrorBoundary {
  return createErrorBoundary(protocol, { count: metrics.count, log });
}

const ignore = () => undefined;

/**
 * Handles the errors of each connection of a server from its first moment to its last: between the libraries that take
 * turns with a socket (TLS, HTTP, an upgrade) there are moments in which none of them listens for an error.
 */
export function handleConnectionErrors(server: Server, boundary: ErrorBoundary): void {
  const handle = (socket: Socket) => {
    socket.once('error', (error) => boundary.end(socket, 'connection', error)).on('error', ignore);
  };
  const isSecure = server instanceof SecureServer;
  // With TLS the error of the socket below is also one of the TLS socket.
  server.prependListener('connection', isSecure ? (socket: Socket) => void socket.on('error', ignore) : handle);
  if (!isSecure) return;
  server.prependListener('secureConnection', handle);
  server.on('tlsClientError', (error, socket) => boundary.end(socket, 'connection', error));
}
