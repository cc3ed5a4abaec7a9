import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises';

/**
 * For background work, called between its steps: pauses `times` as long as the last step took, so that urgent work is
 * hardly delayed. After `hurry` is aborted it only lets pending events run.
 */
export function yielding(times: number, hurry: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const ms = (performance.now() - since) * times;
    if (hurry.aborted || ms < 1) await yieldToEventLoop();
    else await pause(ms, undefined, { signal: hurry }).catch(() => undefined);
    since = performance.now();
  };
}
