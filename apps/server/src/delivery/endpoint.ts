import type { DeliveryTrouble } from '../integrations/integration.ts';
import { pauseMs } from './back-off.ts';
import type { DeliveryRuntime } from './engine.ts';

/** What is known of the other side: how many requests it may have at once, and when it is asked again. */
export interface Endpoint {
  mayBeAsked(inFlight: number): boolean;
  /** It failed, and has not answered well since. */
  isInTrouble(): boolean;
  pauseLeftMs(): number;
  succeeded(mostInFlight: number): void;
  /** It answered, though it did not want the event. */
  answered(): void;
  /** Something failed; whether that is the first since it last answered. */
  stumbled(): boolean;
  /** The failure of a request that began then is the endpoint's; whether it tells anything new. */
  failed(why: DeliveryTrouble, startedAt: number): boolean;
  /** Whether the next failure is worth a line: the first and each tenth are. */
  isWorthALine(): boolean;
  /** Nothing is known any more. */
  forget(mostInFlight: number): void;
  keepBelow(mostInFlight: number): void;
}

const firstInFlight = 8;

export function createEndpoint(
  { clock, random }: Pick<DeliveryRuntime, 'clock' | 'random'>,
  mostInFlight: number,
): Endpoint {
  let limit = Math.min(firstInFlight, mostInFlight);
  let pausedUntil = 0;
  /** In a row, of requests that began after the one before was known. */
  let failures = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isLastFailed = false;
  let shown = 0;

  function forgive(): void {
    failures = 0;
    shown = 0;
    isLastFailed = false;
    pausedUntil = 0;
  }

  return {
    mayBeAsked: (inFlight) => inFlight < limit && clock.monotonicMs() >= pausedUntil,
    isInTrouble: () => failures > 0,
    pauseLeftMs: () => pausedUntil - clock.monotonicMs(),
    succeeded: (most) => {
      forgive();
      limit = Math.min(most, limit + 1);
    },
    answered: () => {
      isLastFailed = false;
    },
    stumbled: () => {
      const isFirst = !isLastFailed;
      isLastFailed = true;
      return isFirst;
    },
    failed: (why, startedAt) => {
      limit = 1;
      // Whatever was under way when the trouble began tells nothing new.
      if (startedAt < failedAt) return false;
      failedAt = clock.monotonicMs();
      failures += 1;
      pausedUntil = failedAt + (why.retryAfterMs ?? pauseMs(failures, random));
      return true;
    },
    isWorthALine: () => {
      shown += 1;
      return shown % 10 === 1;
    },
    forget: (most) => {
      forgive();
      failedAt = clock.monotonicMs();
      limit = Math.min(firstInFlight, most);
    },
    keepBelow: (most) => {
      limit = Math.min(limit, most);
    },
  };
}
