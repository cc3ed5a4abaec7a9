import type { OutgoingHttpHeaders } from 'node:http2';
import type { ApiError } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import { RetryLater } from '../errors.ts';
import type { Stream } from '../http2.ts';
import { framed } from './messages.ts';

/** What answers one call: metadata first, messages, and at last how it ended. */
export interface GrpcAnswer {
  /** Sent with the first message at the latest. */
  metadata: OutgoingHttpHeaders;
  begin: () => void;
  /** Whether the caller still reads, and fast enough. */
  send: (message: Uint8Array) => boolean;
  /**
   * Without an error the call went well; the last message may be given along. False when it has ended already, or the
   * caller has gone.
   */
  end: (error?: ApiError, last?: Uint8Array, isPacked?: boolean) => boolean;
}

/** Of items that a slow reader has not taken yet. */
const mostBuffered = 1 << 20;

/** Its methods never throw: a stream that cannot be written to is ended. */
export function createAnswer(stream: Stream, metadata: OutgoingHttpHeaders, boundary: ErrorBoundary): GrpcAnswer {
  let trailers: OutgoingHttpHeaders = { 'grpc-status': 0 };
  let isEnded = false;

  /** Whether the stream can still be written to: a closed one lives on until its data was read. */
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
        if (isEnded || isGone() || stream.writableLength > mostBuffered) return false;
        begin();
        stream.write(framed(message));
        return true;
      }),
    end: (error, last, isPacked) =>
      attempt(() => {
        if (isEnded || isGone()) return false;
        isEnded = true;
        if (error) trailers = trailersOf(error);
        if (last) begin();
        if (stream.headersSent) stream.end(last && framed(last, isPacked));
        else stream.respond({ ':status': 200, ...metadata, ...trailers }, { endStream: true });
        // What still comes of the request is thrown away. To reset the stream might overtake the answer.
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
