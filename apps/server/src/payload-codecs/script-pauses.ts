import { LRUCache } from 'lru-cache';

/** The timeouts of one script of one application. */
interface Timeouts {
  /** The times of the latest ones, monotonic ms. */
  at: number[];
  /** The number of successive pauses. */
  pauses: number;
  pausedUntil: number;
}

const timeoutsToPause = 3;
const withinMs = 60_000;
const firstPauseMs = 30_000;
const longestPauseMs = 15 * 60_000;
/** After this time without a pause the next one is short again. */
const forgetAfterMs = 30 * 60_000;
const maxScripts = 1_000;
const maxApplications = 1_000;

/**
 * Pauses scripts that repeatedly exceed their time limit. Each application has its own pauses: a copy of the script in another
 * application does not pause the original. A changed script counts as another script.
 */
export function createScriptPauses(monotonicMs: () => number) {
  const byScript = new LRUCache<string, LRUCache<string, Timeouts>>({ max: maxScripts });

  return {
    isPaused: (script: string, application: string): boolean =>
      (byScript.get(script)?.get(application)?.pausedUntil ?? 0) > monotonicMs(),
    /** A call exceeded its time limit; returns the duration (ms) of the pause that begins now, or undefined. */
    recordTimeout: (script: string, application: string): number | undefined => {
      const now = monotonicMs();
      const applications = byScript.get(script) ?? new LRUCache<string, Timeouts>({ max: maxApplications });
      byScript.set(script, applications);
      const timeouts = applications.get(application) ?? { at: [], pauses: 0, pausedUntil: 0 };
      applications.set(application, timeouts);
      // Calls that were queued when the pause began do not count.
      if (timeouts.pausedUntil > now) return undefined;
      timeouts.at = [...timeouts.at.filter((at) => now - at < withinMs), now];
      if (timeouts.at.length < timeoutsToPause) return undefined;
      timeouts.at = [];
      if (now - timeouts.pausedUntil > forgetAfterMs) timeouts.pauses = 0;
      const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** timeouts.pauses);
      timeouts.pauses += 1;
      timeouts.pausedUntil = now + ms;
      return ms;
    },
  };
}
