import type { Clock } from '../platform/runtime.ts';

/** Says how old what comes now may be: a process that stood still reads afterwards what came meanwhile. */
export interface StandStill {
  /** When it came at the earliest, in milliseconds since 1970. */
  earliest(): number;
  end(): void;
}

const pulseMs = 1_000;
/** A busy process is late by less. */
const stillMs = 3_000;
/** What came while it stood still is read in less time than that took, and in this. */
const mostReadingMs = 60_000;

export function watchStandStill(clock: Clock): StandStill {
  let pulseAt = clock.monotonicMs();
  let stood: { since: number; readUntil: number } | null = null;
  let cancel: () => void;

  function note(): void {
    const now = clock.monotonicMs();
    const silentMs = now - pulseAt;
    pulseAt = now;
    if (silentMs < stillMs) return;
    const since = clock.now().getTime() - silentMs;
    stood = { since, readUntil: now + Math.min(silentMs, mostReadingMs) };
  }

  function pulse(): void {
    note();
    cancel = clock.after(pulseMs, pulse);
  }
  pulse();

  return {
    earliest() {
      note();
      if (stood && clock.monotonicMs() > stood.readUntil) stood = null;
      return stood?.since ?? clock.now().getTime();
    },
    end: () => cancel(),
  };
}
