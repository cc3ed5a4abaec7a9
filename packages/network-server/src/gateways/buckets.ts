import type { Clock } from '../surroundings.ts';

/** Beyond this many keys the one that was used longest ago is forgotten. */
const mostKeys = 10_000;

/** Token buckets by key, each of which holds what comes in one second. Spending may take a bucket below zero. */
export function createBuckets(clock: Clock, perSecond: number) {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function tokensOf(key: string): number {
    const bucket = buckets.get(key);
    if (!bucket) return perSecond;
    return Math.min(perSecond, bucket.tokens + ((clock.monotonicMs() - bucket.at) / 1000) * perSecond);
  }

  return {
    /** Share of the bucket that is left, at most 1; negative when it is overdrawn. */
    left: (key: string): number => tokensOf(key) / perSecond,
    spend(key: string, cost: number): void {
      const tokens = tokensOf(key) - cost;
      buckets.delete(key);
      buckets.set(key, { tokens, at: clock.monotonicMs() });
      const [oldest] = buckets.keys();
      if (buckets.size > mostKeys && oldest !== undefined) buckets.delete(oldest);
    },
  };
}
