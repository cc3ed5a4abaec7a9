/**
 * How long nothing is sent after the n-th consecutive failure of an endpoint, from 1. The breaker stays open until a success.
 * The random half keeps many integrations from sending at the same time.
 */
export function breakerPauseMs(failures: number, random: () => number): number {
  const longest = Math.min(300_000, 1000 * 2 ** failures);
  return longest / 2 + (longest / 2) * random();
}

const second = 1000;
const minute = 60 * second;

/** An endpoint may accept later what it refuses now; after three retries the event is given up. */
const refusedDelays = [10 * second, minute, 5 * minute];
/** The delays for an event on which the endpoint fails while it accepts others. */
const failedDelays = [30 * second, 2 * minute, 10 * minute, 30 * minute];

/**
 * How long an event in the retry queue waits after its n-th failure, from 1: the live failure that moved it to the queue is the
 * first; a requeue starts again at 0. Undefined when the event becomes a dead letter.
 * `failed` events are retried once an hour until they are too old.
 */
export function retryDelayMs(reason: 'refused' | 'failed', failures: number, random: () => number): number | undefined {
  if (reason === 'refused') return refusedDelays[failures - 1];
  const delay = failedDelays[failures - 1] ?? 60 * minute;
  return delay * (0.8 + 0.4 * random());
}
