/**
 * Answers how long to wait so that at most `perSecond` begin per second, with bursts of as many. `cost` counts as that
 * many.
 */
export function createTokenBucket(perSecond: number, nowMs: () => number): (cost?: number) => number {
  /** When the bucket is full again. */
  let fullAtMs = 0;
  return (cost = 1) => {
    const now = nowMs();
    fullAtMs = Math.max(fullAtMs, now) + (cost * 1000) / perSecond;
    return Math.max(0, fullAtMs - now - 1000);
  };
}
