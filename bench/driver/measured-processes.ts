import type { TestPostgres } from '../../scripts/testing/postgres.ts';
import { postgresSeconds } from './postgres.ts';
import { type MeasuredProcess, processorSeconds } from './process-use.ts';

const ownProcess: MeasuredProcess = { name: 'driver', seconds: () => processorSeconds(process.pid) };

/** The processes of a run: servers, their PostgreSQL, those that `more` has, and the driver. */
export function processesOf(
  servers: number | readonly number[],
  postgres?: TestPostgres,
  more: readonly MeasuredProcess[] = [],
): MeasuredProcess[] {
  const pids = [servers].flat();
  const server = { name: 'server', seconds: () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0) };
  return [
    ...(pids.length > 0 ? [server] : []),
    ...(postgres ? [{ name: 'PostgreSQL', seconds: () => postgresSeconds(postgres) }] : []),
    ...more,
    ownProcess,
  ];
}
