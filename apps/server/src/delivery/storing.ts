import { Violation } from '../database/violation.ts';
import type { DeliveryRuntime } from './engine.ts';

/** Work that is under way at most once: who asks meanwhile waits for the same. */
export function oneAtATime<Arguments extends unknown[]>(work: (...args: Arguments) => Promise<void>) {
  let underway: Promise<void> | undefined;
  const start = (...args: Arguments): Promise<void> => {
    underway ??= work(...args).finally(() => {
      underway = undefined;
    });
    return underway;
  };
  /** What is under way has ended, well or not. */
  const settled = async () => {
    while (underway) await underway.catch(() => undefined);
  };
  return {
    start,
    settled,
    /** One that has begun knows nothing of what was changed since: another one, after it. */
    startAfresh: async (...args: Arguments): Promise<void> => {
      await settled();
      await start(...args);
    },
  };
}

export const storageAgainMs = 1000;

/**
 * Writes until it is written, however long the storage is away; an integration that is gone needs nothing. False when it
 * was stopped first: nothing may be done that needs to be on disk.
 */
export async function untilStored(
  { database, clock, log }: Pick<DeliveryRuntime, 'database' | 'clock' | 'log'>,
  isStopped: () => boolean,
  work: () => Promise<void>,
): Promise<boolean> {
  for (;;) {
    try {
      await database.commit({ run: () => work().then(() => true) });
      return true;
    } catch (error) {
      if (error instanceof Violation) return true;
      if (isStopped()) return false;
      log.debug({ err: error }, 'an event could not be set aside; tried again');
      await new Promise<void>((resolve) => void clock.after(storageAgainMs, resolve));
    }
  }
}
