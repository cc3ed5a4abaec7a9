import type { Clock } from '../../platform/runtime.ts';

/** Estimates when datagrams arrived: after a pause, a process reads what arrived in the meantime. */
export interface PauseDetector {
  /** The earliest possible arrival of what is read now, in milliseconds since 1970. */
  earliestArrival(): number;
  stop(): void;
}

const tickMs = 1_000;
/** Delays of ticks in a busy process are shorter. */
const pauseMs = 3_000;
/** Arrivals during a pause are read within the duration of the pause, and within this. */
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
