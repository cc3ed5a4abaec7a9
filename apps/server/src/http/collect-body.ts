import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { isPublic, type Operation, refusal } from '@hilltop/contract';
import { networkOf } from '../connections/network-of.ts';
import type { Quota } from '../connections/quota.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** The largest bodies: of calls that need a token, and of all others, which anybody can send. */
const usualBytes = megabyte;
const publicBytes = 16 * kilobyte;

export interface BodyLimits {
  /** Counts the bytes of bodies that have not arrived completely. */
  quota: Quota;
  operation: Operation | undefined;
  address: string;
}

/**
 * Reads the body of a request, within the limit of its operation. Callers prove who they are later, except those with
 * large bodies, which are not counted. Rejects with code 3 for a body that is too large, and with code 8 when too much
 * is under way.
 */
export function collectBody(body: Readable & { headers: IncomingHttpHeaders }, limits: BodyLimits): Promise<Buffer> {
  const { quota, operation, address } = limits;
  const limit = bodyLimitOf(operation);
  const declared = body.headers['content-length'];
  const expected = declared === undefined ? undefined : Number(declared);
  if (expected !== undefined && expected > limit) return Promise.reject(tooLarge(limit));
  const isCounted = operation?.largestBody === undefined;
  const owner = isCounted ? networkOf(address) : '';
  return new Promise((resolve, reject) => {
    let parts: Buffer[] = [];
    let [size, counted] = [0, 0];

    function onData(part: Buffer): void {
      size += part.length;
      if (size > limit) return refuse(tooLarge(limit));
      // Most bodies arrive in one part.
      if (isCounted && size !== expected) {
        if (!quota.take(owner, size - counted)) return refuse(refusal('TOO_MUCH_AT_ONCE'));
        counted = size;
      }
      parts.push(part);
    }
    function end(): void {
      body.off('data', onData).off('end', onEnd).off('error', refuse).off('close', onClose);
      if (counted > 0) quota.giveBack(owner, counted);
      parts = [];
    }
    function refuse(error: Error): void {
      end();
      body.on('error', () => undefined).resume();
      reject(error);
    }
    function onEnd(): void {
      const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts, size);
      if (expected !== undefined && size !== expected) return refuse(refusal('WRONG_LENGTH'));
      end();
      resolve(whole);
    }
    const onClose = () => refuse(refusal('WRONG_LENGTH'));
    body.on('data', onData).on('end', onEnd).on('error', refuse).on('close', onClose);
  });
}

function bodyLimitOf(operation: Operation | undefined): number {
  return operation?.largestBody ?? (operation && !isPublic(operation) ? usualBytes : publicBytes);
}

function tooLarge(bytes: number) {
  const limit = bytes < megabyte ? `${bytes / kilobyte} KB` : `${Math.floor(bytes / megabyte)} MB`;
  return refusal('BODY_TOO_LARGE', { limit });
}
