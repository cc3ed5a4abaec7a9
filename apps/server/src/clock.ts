import type { Clock } from '@hilltop/network-server';

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, Math.max(ms, 0));
    return () => clearTimeout(timer);
  },
};
