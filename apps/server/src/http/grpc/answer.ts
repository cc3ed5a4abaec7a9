import type { OutgoingHttpHeaders } from 'node:http2';
import type { ApiError } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import { RetryLater } from '../errors.ts';
import type { Stream } from '../http2.ts';
import { framed } from './messages.ts';

/** The answer to one call: metadata, messages, and at the end the status. */
export interface GrpcAnswer {
  /** Sent with the first message at the latest. */
  metadata: OutgoingHttpHeaders;
  begin: () => void;
  /** Whether the caller still reads, and fast enough. */
  send: (message: Uint8Array) => boolean;
  /**
   * Ends the call with code 0 or an error, and sends `last` before. False when it has ended already or the caller has
   * gone.
   */
  end: (error?: ApiError, last?: Uint8Array, isCompressed?: boolean) => boolean;
}

/** Bytes that a slow client has not read yet: beyond them items of streams are dropped. */
const mostUnsentBytes = 1 << 20;

/** The methods never throw: they end a stream that cannot be written to. */
export function createAnswer(stream: Stream, metadata: OutgoingHttpHeaders, boundary: ErrorBoundary): GrpcAnswer {
  let trailers: OutgoingHttpHeaders = { 'grpc-status': 0 };
  let isEnded = false;

  /** Whether the stream cannot be written to any more: a closed one is destroyed only once its data was read. */
  const isGone = () => stream.destroyed || stream.closed;

  function begin(): void {
    if (stream.headersSent || isGone()) return;
    stream.respond({ ':status': 200, ...metadata }, { waitForTrailers: true });
    stream.once(
      'wantTrailers',
      boundary.guard(stream, () => stream.sendTrailers(trailers)),
    );
  }

  function attempt(write: () => boolean): boolean {
    try {
      return write();
    } catch (error) {
      boundary.end(stream, 'handler', error);
      return false;
    }
  }

  return {
    metadata,
    begin: boundary.guard(stream, begin),
    send: (message) =>
      attempt(() => {
        if (isEnded || isGone() || stream.writableLength > mostUnsentBytes) return false;
        begin();
        stream.write(framed(message));
        return true;
      }),
    end: (error, last, isCompressed) =>
      attempt(() => {
        if (isEnded || isGone()) return false;
        isEnded = true;
        if (error) trailers = trailersOf(error);
        if (last) begin();
        if (stream.headersSent) stream.end(last && framed(last, isCompressed));
        else stream.respond({ ':status': 200, ...metadata, ...trailers }, { endStream: true });
        // The rest of the request is discarded. A reset of the stream could overtake the answer.
        stream.resume();
        return true;
      }),
  };
}

function trailersOf(error: ApiError): OutgoingHttpHeaders {
  return {
    'grpc-status': error.code,
    ...(error.message !== '' && { 'grpc-message': escaped(error.message) }),
    ...(error instanceof RetryLater && { 'retry-after': String(error.seconds) }),
  };
}

/** Clients take some kilobytes of headers. */
const longestSentence = 1000;

/** Percent-encoded as gRPC wants it: all but printable ASCII, and the sign itself. */
function escaped(text: string): string {
  return text.slice(0, longestSentence).replace(/[^ -$&-~]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}
