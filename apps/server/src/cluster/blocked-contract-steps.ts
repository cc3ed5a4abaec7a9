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
 * Runs the contract steps of migrations that instances of older releases blocked at the start, after those have ended.
 * Checks every hour until `signal` aborts, since operators can go back to the older release until then.
 */
export async function runBlockedContractSteps(
  { cluster, log, migrate, everyMs = hourMs }: ContractLaterDependencies,
  signal: AbortSignal,
) {
  const attempt = () =>
    cluster.whileNobodyStarts(async () => migrate((await cluster.members()).map(({ version }) => version)));
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const waiting = await attempt().catch((error: unknown) => {
      log.error({ err: error }, 'removing what older releases needed from the database failed; retrying');
      return undefined;
    });
    if (waiting?.length === 0) break;
  }
  if (signal.aborted) return;
  log.info('removed from the database what older releases needed');
  await once(signal, 'abort');
}
