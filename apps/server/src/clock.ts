import type { Clock } from '@hilltop/network-server';

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after: (ms, work) => {
    // Timers must not keep a stopped process alive; a running one has its sockets.
    const timer = setTimeout(work, Math.max(ms, 0)).unref();
    return () => clearTimeout(timer);
  },
};
