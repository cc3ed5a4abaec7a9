/** The clock of the simulator; tests can replace it. */
export interface Clock {
  now(): Date;
  /** Milliseconds since any fixed point, never decreasing. */
  monotonicMs(): number;
  /** Runs `work` once after `ms`; the returned function cancels it. */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};
