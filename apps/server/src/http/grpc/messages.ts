import { type ApiError, refusal } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import type { Quota } from '../../connections/quota.ts';
import type { Stream } from '../http2.ts';

/** As the older servers had it. */
export const largestMessage = 4 * 1024 * 1024;
const prefix = 5;

/** What came, and whether its flag says that it is packed. */
export interface Collected {
  bytes: Buffer;
  isPacked: boolean;
}

/**
 * Collects the one message of a call: a flag of compression, four bytes of length, and as many bytes (gRPC over HTTP/2).
 * Calls back once with the message or with why there is none, and never when the caller goes before.
 */
export function collectMessage(
  stream: Stream,
  { held, owner, mayBePacked, boundary }: { held: Quota; owner: string; mayBePacked: boolean; boundary: ErrorBoundary },
  done: (error: ApiError | null, message: Collected) => void,
): void {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;

  function end(error: ApiError | null, message: Buffer = Buffer.alloc(0)): void {
    if (isOver) return;
    isOver = true;
    held.giveBack(owner, size);
    parts = [];
    done(error, { bytes: message.subarray(prefix), isPacked: message.length > 0 && message.readUInt8(0) === 1 });
  }

  function check(): void {
    const head = headOf(parts);
    if (!head) return;
    if (head.readUInt8(0) > (mayBePacked ? 1 : 0)) end(refusal('COMPRESSED'));
    const length = head.readUInt32BE(1);
    if (length > largestMessage) end(tooLarge(length, largestMessage));
  }

  const onData = (part: Buffer) => {
    if (isOver) return;
    if (!held.take(owner, part.length)) return end(refusal('TOO_MUCH_AT_ONCE'));
    parts.push(part);
    size += part.length;
    if (size - part.length < prefix) check();
    if (size > largestMessage + prefix) end(refusal('NO_MESSAGE'));
  };
  const onEnd = () => {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const isWhole = bytes.length >= prefix && bytes.length === prefix + bytes.readUInt32BE(1);
    end(isWhole ? null : refusal('NO_MESSAGE'), bytes);
  };
  stream.on('data', boundary.guard(stream, onData)).on('end', boundary.guard(stream, onEnd));
  stream.on('close', () => {
    if (isOver) return;
    isOver = true;
    held.giveBack(owner, size);
  });
}

function headOf(parts: readonly Buffer[]): Buffer | undefined {
  const [first] = parts;
  const head = first && first.length >= prefix ? first : Buffer.concat(parts);
  return head.length >= prefix ? head : undefined;
}

function tooLarge(bytes: number, limit: number): ApiError {
  return refusal('MESSAGE_TOO_LARGE', { bytes, limit });
}

interface Taker {
  /** Answers one message, or says what is wrong with it, which ends the call. */
  take: (message: Buffer) => ApiError | undefined;
  /** Called once: everything was taken, or what was wrong. */
  done: (error?: ApiError) => void;
}

/**
 * Hands over the messages of a call that sends many, each of `largest` bytes at most, no faster than the caller takes
 * what is answered.
 */
export function eachMessage(stream: Stream, largest: number, { take, done }: Taker, boundary: ErrorBoundary): void {
  let rest: Buffer = Buffer.alloc(0);
  let [hasAll, isOver] = [false, false];

  function end(error?: ApiError): void {
    isOver = true;
    rest = Buffer.alloc(0);
    stream.resume();
    done(error);
  }

  const advance = boundary.guard(stream, () => {
    while (!isOver && !stream.writableNeedDrain && rest.length >= prefix) {
      if (rest.readUInt8(0) !== 0) return end(refusal('COMPRESSED'));
      const length = rest.readUInt32BE(1);
      if (length > largest) return end(tooLarge(length, largest));
      if (rest.length < prefix + length) break;
      const message = rest.subarray(prefix, prefix + length);
      rest = rest.subarray(prefix + length);
      const problem = take(message);
      if (problem) return end(problem);
    }
    if (isOver) return;
    if (stream.writableNeedDrain) stream.pause().once('drain', advance);
    else if (hasAll) end(rest.length > 0 ? refusal('NO_MESSAGE') : undefined);
    else stream.resume();
  });

  stream.on('data', (part: Buffer) => {
    if (isOver) return;
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    advance();
  });
  stream.on('end', () => {
    hasAll = true;
    if (!isOver) advance();
  });
}

/** The message as it goes out. */
export function framed(message: Uint8Array, isPacked = false): Buffer {
  const frame = Buffer.allocUnsafe(prefix + message.length);
  frame.writeUInt8(isPacked ? 1 : 0, 0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefix);
  return frame;
}
