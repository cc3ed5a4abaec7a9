import { createHmac, hkdfSync } from 'node:crypto';
import { setLatest } from '../latest-n.ts';
import type { ThrottleDependencies } from './shared-throttle.ts';

/** What all instances remember for some time: of each key, that it was marked. A single one answers at once. */
export interface SharedMarks {
  add: (key: string) => void;
  has: (key: string) => boolean | Promise<boolean>;
}

/** Until Redis has answered somebody waits who signs in, which takes its time anyway. */
const withinMs = 500;

/**
 * `name` is its own among all marks; beyond `most` this instance forgets the oldest. While Redis is away each instance
 * knows what it marked itself. Redis is not told whom it is about.
 */
export function createSharedMarks(
  { clock, redis, secrets }: ThrottleDependencies,
  name: string,
  { forMs, most }: { forMs: number; most: number },
): SharedMarks {
  const own = new Map<string, number>();
  const isOwn = (key: string) => (own.get(key) ?? 0) > clock.now().getTime();
  const secret = hkdfSync('sha256', secrets.tokenKey, '', 'hilltop marks', 32);
  const nameOf = (key: string) =>
    `hilltop:mark:${createHmac('sha256', Buffer.from(secret)).update(`${name} ${key}`).digest('base64url')}`;

  return {
    add: (key) => {
      setLatest(own, most, key, clock.now().getTime() + forMs);
      void redis?.run((commands) => commands.set(nameOf(key), '', 'PX', forMs), withinMs);
    },
    has: (key) => {
      if (isOwn(key) || !redis) return isOwn(key);
      return redis.run((commands) => commands.exists(nameOf(key)), withinMs).then((found) => found === 1);
    },
  };
}
