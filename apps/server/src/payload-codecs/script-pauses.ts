import { setLatest } from '../latest-n.ts';

/** Of one script of one application. */
interface Timeouts {
  /** When the latest ones happened. */
  at: number[];
  /** How many pauses followed each other. */
  pauses: number;
  pausedUntil: number;
}

const timeoutsToPause = 3;
const withinMs = 60_000;
const firstPauseMs = 30_000;
const longestPauseMs = 15 * 60_000;
/** After so long without a pause the next one is short again. */
const forgetAfterMs = 30 * 60_000;
const scriptsRemembered = 1_000;
const applicationsRemembered = 1_000;

/**
 * Scripts that keep running out of time. Each application has its own pauses: a copy of the script in another
 * application does not pause the original. A changed script is another script, and not paused.
 */
export function createScriptPauses(monotonicMs: () => number) {
  const byScript = new Map<string, Map<string, Timeouts>>();

  return {
    isPaused: (script: string, application: string): boolean =>
      (byScript.get(script)?.get(application)?.pausedUntil ?? 0) > monotonicMs(),
    /** A call ran out of time; answers the milliseconds of the pause that begins now, or undefined. */
    timedOut: (script: string, application: string): number | undefined => {
      const now = monotonicMs();
      const applications = byScript.get(script) ?? new Map<string, Timeouts>();
      setLatest(byScript, scriptsRemembered, script, applications);
      const known = applications.get(application) ?? { at: [], pauses: 0, pausedUntil: 0 };
      setLatest(applications, applicationsRemembered, application, known);
      // Calls that were under way when the pause began are no news.
      if (known.pausedUntil > now) return undefined;
      known.at = [...known.at.filter((at) => now - at < withinMs), now];
      if (known.at.length < timeoutsToPause) return undefined;
      known.at = [];
      if (now - known.pausedUntil > forgetAfterMs) known.pauses = 0;
      const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** known.pauses);
      known.pauses += 1;
      known.pausedUntil = now + ms;
      return ms;
    },
  };
}
