import { networkOf } from '../connections/network-of.ts';
import type { Principal } from '../identity/principals.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../identity/shared-throttle.ts';
import { RetryLater } from './errors.ts';

/**
 * Keeps one caller from taking the server away from the others. Both throw code 8 with the seconds to wait, or reject
 * with it where other instances count as well.
 */
export interface RateLimit {
  /** A call of a session or API key. */
  ofCaller: (principal: NonNullable<Principal>) => undefined | Promise<undefined>;
  /** A call without either, or with one that is not good. */
  ofAddress: (address: string) => undefined | Promise<undefined>;
}

const strangersPerSecond = 200;
/** What may come at once after a rest, in seconds of the steady rate. */
const burstSeconds = 5;

/** `callersPerSecond` 0 means no limit for those who are known. */
export function createRateLimit(needs: ThrottleDependencies, callersPerSecond: number): RateLimit {
  const perSecond = (name: string, calls: number) =>
    createSharedThrottle(needs, name, calls * 60, calls * burstSeconds);
  const strangers = perSecond('strangers', strangersPerSecond);
  const callers = callersPerSecond > 0 ? perSecond('callers', callersPerSecond) : undefined;

  function check(seconds: number): undefined {
    if (seconds > 0) throw new RetryLater(seconds, 'calls');
  }
  const checked = (taken: number | Promise<number>) => (typeof taken === 'number' ? check(taken) : taken.then(check));

  return {
    ofCaller: (principal) =>
      callers && checked(callers.take(principal.kind === 'user' ? principal.sessionID : principal.id)),
    ofAddress: (address) => checked(strangers.take(networkOf(address))),
  };
}
