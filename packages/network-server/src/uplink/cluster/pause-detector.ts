import type { Clock } from '../../platform/runtime.ts';

/** Knows when datagrams may have come: a process that paused reads afterwards what came in the meantime. */
export interface PauseDetector {
  /** The earliest time at which what is read now can have come, in milliseconds since 1970. */
  earliestArrival(): number;
  stop(): void;
}

const tickMs = 1_000;
/** The ticks of a busy process are late by less. */
const pauseMs = 3_000;
/** What came during a pause is read within the time that the pause took, and within this. */
const mostReadingMs = 60_000;

export function createPauseDetector(clock: Clock): PauseDetector {
  let lastTickAt = clock.monotonicMs();
  let pause: { beganAt: number; readUntil: number } | null = null;
  let cancel: () => void;

  function notePause(): void {
    const now = clock.monotonicMs();
    const sinceTickMs = now - lastTickAt;
    lastTickAt = now;
    if (sinceTickMs < pauseMs) return;
    const beganAt = clock.now().getTime() - sinceTickMs;
    pause = { beganAt, readUntil: now + Math.min(sinceTickMs, mostReadingMs) };
  }

  function tick(): void {
    notePause();
    cancel = clock.after(tickMs, tick);
  }
  tick();

  return {
    earliestArrival() {
      notePause();
      if (pause && clock.monotonicMs() > pause.readUntil) pause = null;
      return pause?.beganAt ?? clock.now().getTime();
    },
    stop: () => cancel(),
  };
}
