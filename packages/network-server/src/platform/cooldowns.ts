import type { Clock } from './runtime.ts';

/**
 * How long a gateway or a group must still wait after a downlink. The queues do not contain downlinks that were just
 * sent.
 */
export interface Cooldowns {
  /** Whole milliseconds, because they result in times on disk; 0 when it may send. */
  remainingMs(id: string): number;
  begin(id: string, ms: number): void;
}

const mostCooldowns = 10_000;

export function createCooldowns(clock: Clock): Cooldowns {
  const ends = new Map<string, number>();
  function forgetEnded() {
    const now = clock.monotonicMs();
    for (const [id, end] of ends) if (end <= now) ends.delete(id);
  }
  return {
    remainingMs: (id) => Math.max(Math.ceil((ends.get(id) ?? 0) - clock.monotonicMs()), 0),
    begin(id, ms) {
      if (ends.size >= mostCooldowns) forgetEnded();
      ends.set(id, clock.monotonicMs() + ms);
    },
  };
}

/**
 * Whether a stored cooldown still runs. Clocks of two instances may differ by one pause; an end further ahead comes
 * from a wrong clock.
 */
export function isCooldown(end: number, { now, longestMs }: { now: number; longestMs: number }): boolean {
  return end > now && end <= now + 2 * longestMs;
}
