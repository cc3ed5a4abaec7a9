/**
 * Runs `act` once for all requests: after this iteration of the event loop, and at least `leastApartMs` after the
 * previous run. A request after a pause does not wait.
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
