import { networkOf } from '../connections/network-of.ts';
import { RetryLater } from './errors.ts';
import type { Principal } from './principals.ts';
import { createThrottle } from './throttle.ts';

/** Keeps one caller from taking the server away from the others. Both throw code 8 with the seconds to wait. */
export interface RateLimit {
  /** A call of a session or API key. */
  ofCaller: (principal: NonNullable<Principal>) => void;
  /** A call without either, or with one that is not good. */
  ofAddress: (address: string) => void;
}

const strangersPerSecond = 200;
/** What may come at once after a rest, in seconds of the steady rate. */
const burstSeconds = 5;

/** `callersPerSecond` 0 means no limit for those who are known. */
export function createRateLimit(callersPerSecond: number, monotonicMs: () => number): RateLimit {
  const strangers = createThrottle(strangersPerSecond * 60, monotonicMs, strangersPerSecond * burstSeconds);
  const callers = createThrottle(callersPerSecond * 60, monotonicMs, callersPerSecond * burstSeconds);

  function check(seconds: number): void {
    if (seconds > 0) throw new RetryLater(seconds, 'calls');
  }

  return {
    ofCaller: (principal) => {
      if (callersPerSecond > 0) check(callers.take(principal.kind === 'user' ? principal.sessionID : principal.id));
    },
    ofAddress: (address) => check(strangers.take(networkOf(address))),
  };
}
