import type { Clock } from '@hilltop/network-server';

/**
 * How long an answer is waited for. Answers come in the order of the questions: while there are others, this one is on
 * its way, and whoever went another way meanwhile would only have more done by all.
 */
export interface Patience {
  /** Some question was answered. */
  heard: () => void;
  /**
   * Calls `giveUp` once nothing at all was heard for `withinMs`, or `mostMs` are over. What came while this process was
   * busy is heard first. The answer ends it.
   */
  wait: (times: { withinMs: number; mostMs: number }, giveUp: () => void) => () => void;
}

export function createPatience(
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  afterReading: (work: () => void) => void = setImmediate,
): Patience {
  let heardAt = Number.NEGATIVE_INFINITY;
  return {
    heard: () => void (heardAt = clock.monotonicMs()),
    wait({ withinMs, mostMs }, giveUp) {
      const askedAt = clock.monotonicMs();
      let isOver = false;
      let cancel = clock.after(withinMs, () => afterReading(look));
      function look(): void {
        if (isOver) return;
        const until = Math.min(heardAt + withinMs, askedAt + mostMs);
        const leftMs = until - clock.monotonicMs();
        if (leftMs <= 0) return giveUp();
        cancel = clock.after(leftMs, () => afterReading(look));
      }
      return () => {
        isOver = true;
        cancel();
      };
    },
  };
}
