import type { Clock } from '../clock.ts';

/** A clock that the test advances. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function createManualClock(start = Date.UTC(2023, 2, 1, 10, 15, 30)): ManualClock {
  let nowMs = 0;
  const timers = new Set<{ atMs: number; work: () => void }>();
  return {
    now: () => new Date(start + nowMs),
    monotonicMs: () => nowMs,
    after(ms, work) {
      const timer = { atMs: nowMs + ms, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const until = nowMs + ms;
      for (;;) {
        const due = [...timers].filter(({ atMs }) => atMs <= until).sort((left, right) => left.atMs - right.atMs)[0];
        if (!due) break;
        timers.delete(due);
        nowMs = Math.max(nowMs, due.atMs);
        due.work();
      }
      nowMs = until;
    },
  };
}
