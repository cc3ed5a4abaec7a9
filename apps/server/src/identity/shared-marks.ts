import { createHmac, hkdfSync } from 'node:crypto';
import { setLatest } from '../latest-n.ts';
import type { ThrottleDependencies } from './shared-throttle.ts';

/** Keys that all instances have marked, for some time. A single process answers at once. */
export interface SharedMarks {
  add: (key: string) => void;
  has: (key: string) => boolean | Promise<boolean>;
}

/** How long a sign-in waits for Redis; signing in takes longer anyway. */
const withinMs = 500;

/**
 * `name` must be unique among all marks. Beyond `most` keys this instance drops the oldest. While Redis is unavailable,
 * each instance knows only its own marks. Redis stores hashes of keys, so that it does not learn identities.
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
