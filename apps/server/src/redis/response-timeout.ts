import type { Clock } from '@hilltop/network-server';

/**
 * How long to wait for an answer. Redis answers in order: while other answers arrive, this one will follow, and
 * continuing without it would only add load.
 */
export interface ResponseTimeout {
  /** Call it with each answer. */
  responded: () => void;
  /**
   * Calls `giveUp` once no answer at all has arrived for `withinMs`, or after `mostMs`. Answers that arrived while this process
   * was busy are read first. The returned function ends the wait.
   */
  wait: (times: { withinMs: number; mostMs: number }, giveUp: () => void) => () => void;
}

export function createResponseTimeout(
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  afterReading: (work: () => void) => void = setImmediate,
): ResponseTimeout {
  let respondedAt = Number.NEGATIVE_INFINITY;
  return {
    responded: () => void (respondedAt = clock.monotonicMs()),
    wait({ withinMs, mostMs }, giveUp) {
      const askedAt = clock.monotonicMs();
      let isOver = false;
      let cancel = clock.after(withinMs, () => afterReading(look));
      function look(): void {
        if (isOver) return;
        const until = Math.min(respondedAt + withinMs, askedAt + mostMs);
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
