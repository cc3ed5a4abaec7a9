/**
 * Has `act` done once for all who ask meanwhile: after this turn of the event loop, and not sooner than so long after the
 * time before. Who asks after a rest does not wait.
 */
export function throttled(act: () => void, leastApartMs: number, nowMs = () => performance.now()): () => void {
  let isAsked = false;
  let lastAt = Number.NEGATIVE_INFINITY;

  function run(): void {
    isAsked = false;
    lastAt = nowMs();
    act();
  }

  return () => {
    if (isAsked) return;
    isAsked = true;
    const waitMs = lastAt + leastApartMs - nowMs();
    if (waitMs > 0) setTimeout(run, waitMs);
    else process.nextTick(run);
  };
}
