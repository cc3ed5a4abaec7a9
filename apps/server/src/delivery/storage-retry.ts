import { Violation } from '../database/violation.ts';
import type { DeliveryRuntime } from './runtime.ts';

export const storageRetryMs = 1000;

/**
 * Commits `work`, and retries while the storage is unavailable. Returns false when `signal` ended the retries: the caller
 * must not do anything that relies on the write. An integration that was removed meanwhile counts as written.
 */
export async function commitWithRetry(
  { database, clock, log }: Pick<DeliveryRuntime, 'database' | 'clock' | 'log'>,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<boolean> {
  for (;;) {
    try {
      await database.commit({ run: () => work().then(() => true) });
      return true;
    } catch (error) {
      if (error instanceof Violation) return true;
      if (signal.aborted) return false;
      log.debug({ err: error }, 'writing to the retry queue failed; retrying');
      await new Promise<void>((resolve) => void clock.after(storageRetryMs, resolve));
    }
  }
}
