import type { OutgoingHttpHeaders } from 'node:http2';
import type { ApiError } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import { RetryLater } from '../errors.ts';
import type { Stream } from '../http2.ts';
import { framed } from './messages.ts';

/** The answer to one call: metadata, messages and finally the status. */
export interface GrpcAnswer {
  /** Sent with the first message at the latest. */
  metadata: OutgoingHttpHeaders;
  begin: () => void;
  /** Sends a message. False when the caller has disconnected or reads too slowly. */
  send: (message: Uint8Array) => boolean;
  /**
   * Ends the call with code 0 or an error, after sending `last`. False when it has ended already or the caller has
   * disconnected.
   */
  end: (error?: ApiError, last?: Uint8Array, isCompressed?: boolean) => boolean;
}

/** Beyond these unsent bytes to a slow client, items of streams are dropped. */
const mostUnsentBytes = 1 << 20;

/** The methods never throw: they end a stream that cannot be written to. */
export function createAnswer(stream: Stream, metadata: OutgoingHttpHeaders, boundary: ErrorBoundary): GrpcAnswer {
  let trailers: OutgoingHttpHeaders = { 'grpc-status': 0 };
  let isEnded = false;

  /** Whether the stream cannot be written to any more. A closed stream is destroyed only after its data was read. */
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
        // Discards the rest of the request, because a reset of the stream could overtake the answer.
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

/** Clients accept some kilobytes of headers. */
const longestSentence = 1000;

/** Percent-encodes as gRPC requires: everything but printable ASCII, and the percent sign. */
function escaped(text: string): string {
  return text.slice(0, longestSentence).replace(/[^ -$&-~]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}
