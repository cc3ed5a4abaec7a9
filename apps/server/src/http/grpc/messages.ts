import { type ApiError, refusal } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import type { Quota } from '../../connections/quota.ts';
import type { Stream } from '../http2.ts';

/** The limit of version 3. */
export const largestMessage = 4 * 1024 * 1024;
/** One byte for the compression flag, four for the length (gRPC over HTTP/2). */
const prefixLength = 5;

/** A message, and whether its flag says that it is compressed. */
export interface Collected {
  bytes: Buffer;
  isCompressed: boolean;
}

interface CollectLimits {
  /** Counts the bytes that have arrived, for the owner. */
  quota: Quota;
  owner: string;
  mayBeCompressed: boolean;
  boundary: ErrorBoundary;
}

/**
 * Collects the one message of a call. Calls back once with the message or with an error, and never when the stream
 * closes before.
 */
export function collectMessage(
  stream: Stream,
  { quota, owner, mayBeCompressed, boundary }: CollectLimits,
  done: (error: ApiError | null, message: Collected) => void,
): void {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;

  function end(error: ApiError | null, message: Buffer = Buffer.alloc(0)): void {
    if (isOver) return;
    isOver = true;
    quota.giveBack(owner, size);
    parts = [];
    const isCompressed = message.length > 0 && message.readUInt8(0) === 1;
    done(error, { bytes: message.subarray(prefixLength), isCompressed });
  }

  function checkPrefix(): void {
    const head = headOf(parts);
    if (!head) return;
    if (head.readUInt8(0) > (mayBeCompressed ? 1 : 0)) end(refusal('COMPRESSED'));
    const length = head.readUInt32BE(1);
    if (length > largestMessage) end(tooLarge(length, largestMessage));
  }

  const onData = (part: Buffer) => {
    if (isOver) return;
    if (!quota.take(owner, part.length)) return end(refusal('TOO_MUCH_AT_ONCE'));
    parts.push(part);
    size += part.length;
    if (size - part.length < prefixLength) checkPrefix();
    if (size > largestMessage + prefixLength) end(refusal('NO_MESSAGE'));
  };
  const onEnd = () => {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const isComplete = bytes.length >= prefixLength && bytes.length === prefixLength + bytes.readUInt32BE(1);
    end(isComplete ? null : refusal('NO_MESSAGE'), bytes);
  };
  stream.on('data', boundary.guard(stream, onData)).on('end', boundary.guard(stream, onEnd));
  stream.on('close', () => {
    if (isOver) return;
    isOver = true;
    quota.giveBack(owner, size);
  });
}

function headOf(parts: readonly Buffer[]): Buffer | undefined {
  const [first] = parts;
  const head = first && first.length >= prefixLength ? first : Buffer.concat(parts);
  return head.length >= prefixLength ? head : undefined;
}

function tooLarge(bytes: number, limit: number): ApiError {
  return refusal('MESSAGE_TOO_LARGE', { bytes, limit });
}

interface MessageHandler {
  /** Answers one message, or returns an error, which ends the call. */
  answer: (message: Buffer) => ApiError | undefined;
  /** Called once: after the last message, or with the error. */
  end: (error?: ApiError) => void;
}

/**
 * Passes on the messages of a call that sends several, of at most `largest` bytes each, no faster than the client reads
 * the answers.
 */
export function eachMessage(stream: Stream, largest: number, handler: MessageHandler, boundary: ErrorBoundary): void {
  /** Received bytes that are not a complete message yet. */
  let unread: Buffer = Buffer.alloc(0);
  let [hasEnded, isOver] = [false, false];

  function end(error?: ApiError): void {
    isOver = true;
    unread = Buffer.alloc(0);
    stream.resume();
    handler.end(error);
  }

  const advance = boundary.guard(stream, () => {
    while (!isOver && !stream.writableNeedDrain && unread.length >= prefixLength) {
      if (unread.readUInt8(0) !== 0) return end(refusal('COMPRESSED'));
      const length = unread.readUInt32BE(1);
      if (length > largest) return end(tooLarge(length, largest));
      if (unread.length < prefixLength + length) break;
      const message = unread.subarray(prefixLength, prefixLength + length);
      unread = unread.subarray(prefixLength + length);
      const problem = handler.answer(message);
      if (problem) return end(problem);
    }
    if (isOver) return;
    if (stream.writableNeedDrain) stream.pause().once('drain', advance);
    else if (hasEnded) end(unread.length > 0 ? refusal('NO_MESSAGE') : undefined);
    else stream.resume();
  });

  stream.on('data', (part: Buffer) => {
    if (isOver) return;
    unread = unread.length === 0 ? part : Buffer.concat([unread, part]);
    advance();
  });
  stream.on('end', () => {
    hasEnded = true;
    if (!isOver) advance();
  });
}

/** A message with its prefix. */
export function framed(message: Uint8Array, isCompressed = false): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length);
  frame.writeUInt8(isCompressed ? 1 : 0, 0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixLength);
  return frame;
}
