/** Tells how long to wait so that no more than `perSecond` begin, as many of them at once as a second has. */
export function createPace(perSecond: number, nowMs: () => number): () => number {
  /** When the bucket is full again. */
  let fullAtMs = 0;
  return () => {
    const now = nowMs();
    fullAtMs = Math.max(fullAtMs, now) + 1000 / perSecond;
    return Math.max(0, fullAtMs - now - 1000);
  };
}
