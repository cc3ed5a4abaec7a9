/**
 * Tells how long to wait so that no more than `perSecond` begin, as many of them at once as a second has. One that costs
 * more counts as so many.
 */
export function createPace(perSecond: number, nowMs: () => number): (cost?: number) => number {
  /** When the bucket is full again. */
  let fullAtMs = 0;
  return (cost = 1) => {
    const now = nowMs();
    fullAtMs = Math.max(fullAtMs, now) + (cost * 1000) / perSecond;
    return Math.max(0, fullAtMs - now - 1000);
  };
}
