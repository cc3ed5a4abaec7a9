import type { Clock } from '../surroundings.ts';

const windowMs = 1000;
/** So far above the mean nobody is refused: those who send alike never send exactly alike. */
const tolerance = 1.25;
/** Further keys count as one. */
const mostKeys = 10_000;

/**
 * Who has had more than others of what was taken in the current window of one second. Refusing those above the mean, and
 * counting only what was taken, brings everybody down to what the smaller ones have. `always` is what everybody may have
 * in each window, whatever the others have.
 */
export function createShares(clock: Clock, always: number) {
  let windowEnds = Number.NEGATIVE_INFINITY;
  let total = 0;
  const taken = new Map<string, number>();

  function keyOf(key: string): string {
    const now = clock.monotonicMs();
    if (now >= windowEnds) {
      windowEnds = now + windowMs;
      total = 0;
      taken.clear();
    }
    return taken.size >= mostKeys && !taken.has(key) ? 'others' : key;
  }

  return {
    isSmall: (key: string): boolean => (taken.get(keyOf(key)) ?? 0) < always,
    isAbove(key: string): boolean {
      const own = taken.get(keyOf(key)) ?? 0;
      return own >= Math.max(always, (tolerance * total) / Math.max(1, taken.size));
    },
    add(key: string, amount: number): void {
      const known = keyOf(key);
      taken.set(known, (taken.get(known) ?? 0) + amount);
      total += amount;
    },
  };
}
