import { networkOf } from '../connections/network-of.ts';
import type { Principal } from '../identity/principals.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../identity/shared-throttle.ts';
import { RetryLater } from './errors.ts';

/**
 * Limits the calls of each caller, so that one cannot use up the server. Both methods throw code 8 with the seconds to
 * wait, or reject with it when other instances count as well.
 */
export interface RateLimit {
  /** A call of a session or API key. */
  ofCaller: (principal: NonNullable<Principal>) => undefined | Promise<undefined>;
  /** A call without a session or key, or with an invalid one. */
  ofAddress: (address: string) => undefined | Promise<undefined>;
}

const addressesPerSecond = 200;
/** The size of a burst after a pause, in seconds of the steady rate. */
const burstSeconds = 5;

/** `callersPerSecond` 0 means no limit for calls with a session or key. */
export function createRateLimit(needs: ThrottleDependencies, callersPerSecond: number): RateLimit {
  const perSecond = (name: string, calls: number) =>
    createSharedThrottle(needs, name, calls * 60, calls * burstSeconds);
  const addresses = perSecond('addresses', addressesPerSecond);
  const callers = callersPerSecond > 0 ? perSecond('callers', callersPerSecond) : undefined;

  function check(seconds: number): undefined {
    if (seconds > 0) throw new RetryLater(seconds, 'calls');
  }
  const checked = (taken: number | Promise<number>) => (typeof taken === 'number' ? check(taken) : taken.then(check));

  return {
    ofCaller: (principal) =>
      callers && checked(callers.take(principal.kind === 'user' ? principal.sessionID : principal.id)),
    ofAddress: (address) => checked(addresses.take(networkOf(address))),
  };
}
