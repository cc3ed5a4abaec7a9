import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Cluster } from './cluster.ts';

interface ContractLaterDependencies {
  cluster: Pick<Cluster, 'members' | 'whileNobodyStarts'>;
  log: Logger;
  /** Answers the names of the steps that one of these versions still blocks. */
  migrate: (versions: readonly string[]) => Promise<readonly string[]>;
  everyMs?: number;
}

const hourMs = 3_600_000;

/**
 * Runs the contract steps of migrations that instances of older releases still blocked when this one started, once those
 * have gone. Checks every hour until `signal` aborts: until then the older release can come back.
 */
export async function contractLater(
  { cluster, log, migrate, everyMs = hourMs }: ContractLaterDependencies,
  signal: AbortSignal,
) {
  const attempt = () =>
    cluster.whileNobodyStarts(async () => migrate((await cluster.members()).map(({ version }) => version)));
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const waiting = await attempt().catch((error: unknown) => {
      log.error({ err: error }, 'what older releases needed could not be removed from the database: tried again');
      return undefined;
    });
    if (waiting?.length === 0) break;
  }
  if (signal.aborted) return;
  log.info('what older releases needed was removed from the database');
  await once(signal, 'abort');
}
