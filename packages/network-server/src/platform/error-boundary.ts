import type { Count, Log } from './runtime.ts';

/** The protocol of a connection, as the metric `connection_errors` names it. */
export type ConnectionProtocol =
  | 'http'
  | 'http2'
  | 'grpc'
  | 'websocket'
  | 'mqtt'
  | 'basics_station'
  | 'semtech_udp'
  | 'join_server'
  | 'network_server_grpc';

/** A socket, an HTTP/2 stream or a websocket. */
export interface Endable {
  destroy?: () => unknown;
  terminate?: () => unknown;
}

/**
 * Why a connection was ended: the connection itself failed (reset, TLS, broken protocol), the client was silent for too
 * long, or our code failed on the client's data.
 */
type Cause = 'connection' | 'silent' | 'handler';

/** Limits the failure of one connection to that connection. */
export interface ErrorBoundary {
  /** Counts why a connection ends that other code closes. */
  count: (cause: Cause, error?: unknown) => void;
  /** Ends the connection and counts why. */
  end: (connection: Endable, cause: Cause, error?: unknown) => void;
  /** The same function, except that an exception or a rejection ends this connection and nothing else. */
  guard: <Args extends unknown[]>(connection: Endable, work: (...args: Args) => unknown) => (...args: Args) => void;
}

/** Each connection that ends by an error is counted as `connection_errors`, by protocol and cause. */
export function createErrorBoundary(
  protocol: ConnectionProtocol,
  { count: countMetric, log }: { count: Count; log: Pick<Log, 'debug' | 'error'> },
): ErrorBoundary {
  function count(cause: Cause, error?: unknown): void {
    countMetric('connection_errors', { protocol, cause });
    if (cause === 'handler') log.error({ err: error, protocol }, 'a connection was ended because its handler failed');
    else log.debug({ err: error, protocol, cause }, 'a connection was ended');
  }

  function end(connection: Endable, cause: Cause, error?: unknown): void {
    count(cause, error);
    if (connection.terminate) connection.terminate();
    else connection.destroy?.();
  }

  return {
    count,
    end,
    guard:
      (connection, work) =>
      (...args) => {
        try {
          const result = work(...args);
          if (result instanceof Promise) result.catch((error: unknown) => end(connection, 'handler', error));
        } catch (error) {
          end(connection, 'handler', error);
        }
      },
  };
}
