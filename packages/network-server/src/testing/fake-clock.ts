import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../platform/runtime.ts';

export interface FakeClock extends Clock {
  /** Advances time, runs timers in order, and lets all promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Sets the clock: it jumps by this, and no time passes. */
  set(byMs: number): void;
  /** Drops all timers, like the end of a process. */
  crash(): void;
}

/** `settle` waits for work under way; one iteration of the event loop is enough for promises alone. */
export function createFakeClock(
  start = Date.UTC(2026, 10, 21, 12, 0, 0),
  settle: () => Promise<void> = nextTurn,
): FakeClock {
  let nowMs = 0;
  let setMs = 0;
  const timers = new Set<{ due: number; work: () => void }>();
  return {
    now: () => new Date(start + setMs + nowMs),
    monotonicMs: () => nowMs,
    after(ms, work) {
      const timer = { due: nowMs + ms, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    set: (byMs) => {
      setMs += byMs;
    },
    crash: () => timers.clear(),
    async advance(ms) {
      const until = nowMs + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due);
        if (!next) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.due);
        next.work();
        await settle();
      }
      nowMs = until;
    },
  };
}
