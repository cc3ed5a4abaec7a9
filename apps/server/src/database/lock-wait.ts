import { setTimeout as delay } from 'node:timers/promises';
import { isLocked } from './storage-failure.ts';

/** SQLite blocks the thread for at most this time while another process has the lock. */
export const lockWaitMs = 10;
/** Between two tries the thread does other work. */
const retryMs = 20;
/** A write fails when another process has had the lock for this time. */
const patienceMs = 5000;
/** From then on one try in this time is enough: each blocks the thread for `lockWaitMs`. */
const triesApartMs = 100;
/** Without a try for this time the next one may meet another lock, and waits for it. */
const outdatedMs = 1000;

/** Waits for the lock of the database file while another process has it. The caller has the writer. */
export interface LockWait {
  /**
   * Runs a write, which throws when another process has the lock. Waits without blocking the thread until the lock has been
   * held for five seconds; after that, writes that waited in line or come later fail at once.
   */
  whenUnlocked: <T>(write: () => T) => Promise<T>;
  /** Whether the last write found the lock held. */
  isHeldElsewhere: () => boolean;
}

export interface LockTiming {
  nowMs: () => number;
  pause: (ms: number) => Promise<unknown>;
}

const realTiming: LockTiming = { nowMs: () => performance.now(), pause: (ms) => delay(ms) };

export function lockWait({ nowMs, pause }: LockTiming = realTiming): LockWait {
  let held: { sinceMs: number; triedMs: number; error: unknown } | undefined;

  function heldElsewhere() {
    if (held && nowMs() - held.triedMs >= outdatedMs) held = undefined;
    return held;
  }

  /** Undefined while another process has the lock. */
  function attempt<T>(write: () => T, sinceMs: number | undefined): { result: T } | undefined {
    try {
      const result = write();
      held = undefined;
      return { result };
    } catch (error) {
      const triedMs = nowMs();
      held = isLocked(error) ? { sinceMs: sinceMs ?? triedMs, triedMs, error } : undefined;
      if (!held || triedMs - held.sinceMs >= patienceMs) throw error;
      return undefined;
    }
  }

  return {
    whenUnlocked: async (write) => {
      const before = heldElsewhere();
      const now = nowMs();
      if (before && now - before.sinceMs >= patienceMs && now - before.triedMs < triesApartMs) throw before.error;
      for (let sinceMs = before?.sinceMs; ; sinceMs = held?.sinceMs) {
        const done = attempt(write, sinceMs);
        if (done) return done.result;
        await pause(retryMs);
      }
    },
    isHeldElsewhere: () => heldElsewhere() !== undefined,
  };
}
