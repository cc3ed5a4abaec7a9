/** Time as the simulator sees it; tests bring their own. */
export interface Clock {
  now(): Date;
  /** Milliseconds since any fixed point, never going back. */
  monotonicMs(): number;
  /** Runs `work` once after `ms`; the answer cancels. */
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
