import { createHmac, hkdfSync } from 'node:crypto';
import type { Clock } from '@hilltop/network-server';
import type { RedisConnection } from '../redis/connection.ts';
import type { Secrets } from '../secrets.ts';
import { createThrottle } from './throttle.ts';

/** A throttle that counts the attempts at all instances. A single process answers at once. */
export interface SharedThrottle {
  take: (key: string) => number | Promise<number>;
  giveBack: (key: string) => void;
}

export interface ThrottleDependencies {
  clock: Clock;
  redis: RedisConnection | undefined;
  secrets: Secrets;
}

/** How long a caller waits for Redis. */
const withinMs = 50;

/**
 * Redis stores only when the bucket will be full again, until then. KEYS: the bucket. ARGV: the milliseconds until an
 * attempt is refilled, and the most attempts. Answers the milliseconds to wait.
 */
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + ARGV[1]
local wait = full - now - ARGV[1] * ARGV[2]
if wait > 0 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return 0`;

const giveBack = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = tonumber(redis.call('GET', KEYS[1]) or 0) - ARGV[1]
if full <= now then return redis.call('DEL', KEYS[1]) end
return redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))`;

/**
 * `name` must be unique among all throttles. While Redis is unavailable, each instance counts its own attempts. An
 * instance does not ask Redis about attempts that exceed the limit at this instance alone. Redis stores hashes of keys,
 * so that it does not learn identities.
 */
export function createSharedThrottle(
  { clock, redis, secrets }: ThrottleDependencies,
  name: string,
  perMinute: number,
  most = perMinute,
): SharedThrottle {
  const own = createThrottle(perMinute, () => clock.monotonicMs(), most);
  if (!redis) return own;
  const secret = Buffer.from(hkdfSync('sha256', secrets.tokenKey, '', 'hilltop throttles', 32));
  const bucketOf = (key: string) =>
    `hilltop:throttle:${createHmac('sha256', secret).update(`${name} ${key}`).digest('base64url')}`;
  const backMs = 60_000 / perMinute;

  return {
    take: (key) => {
      const seconds = own.take(key);
      if (seconds > 0) return seconds;
      const asked = redis.run(
        (commands) => commands.eval(take, 1, bucketOf(key), backMs, most) as Promise<number>,
        withinMs,
      );
      return asked.then((waitMs = 0) => {
        if (waitMs > 0) own.giveBack(key);
        return Math.ceil(waitMs / 1000);
      });
    },
    giveBack: (key) => {
      own.giveBack(key);
      void redis.run((commands) => commands.eval(giveBack, 1, bucketOf(key), backMs), withinMs);
    },
  };
}
