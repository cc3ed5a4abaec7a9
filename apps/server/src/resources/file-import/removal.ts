import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { removeExpired } from './store.ts';

const everyMs = 3_600_000;

/** Removes imports that nobody finished within a day, with the keys in their rows. One instance at a time does it. */
export function removeOldImports({ database, clock, log }: { database: Database; clock: Clock; log: Logger }) {
  let cancel = () => {};
  let removing: Promise<void> = Promise.resolve();
  const run = () => {
    removing = removeExpired(database, clock.now()).catch((error: unknown) =>
      log.warn({ err: error }, 'old imports could not be removed; trying again'),
    );
    cancel = clock.after(everyMs, run);
  };
  return {
    start: run,
    stop: async () => {
      cancel();
      await removing;
    },
  };
}
