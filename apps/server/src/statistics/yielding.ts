import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/**
 * For work that nobody waits for, called between its pieces: after each it rests `times` as long as that took, and what is
 * urgent goes on as if nothing were beside it. Once `hurry` is aborted it only gives way to what has come meanwhile.
 */
export function yielding(times: number, hurry: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const ms = (performance.now() - since) * times;
    if (hurry.aborted || ms < 1) await turn();
    else await pause(ms, undefined, { signal: hurry }).catch(() => undefined);
    since = performance.now();
  };
}
