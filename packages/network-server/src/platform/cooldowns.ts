import type { Clock } from './runtime.ts';

/**
 * How long a gateway or a group must still wait after a downlink. A downlink that was just sent is in no queue any
 * more.
 */
export interface Cooldowns {
  /** Whole milliseconds, as times on disk are made of them; 0 when it may send. */
  left(id: string): number;
  begin(id: string, ms: number): void;
}

const keptAtMost = 10_000;

export function createCooldowns(clock: Clock): Cooldowns {
  const ends = new Map<string, number>();
  function forgetOver() {
    const now = clock.monotonicMs();
    for (const [id, end] of ends) if (end <= now) ends.delete(id);
  }
  return {
    left: (id) => Math.max(Math.ceil((ends.get(id) ?? 0) - clock.monotonicMs()), 0),
    begin(id, ms) {
      if (ends.size >= keptAtMost) forgetOver();
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
