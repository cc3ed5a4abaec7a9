import type { TestPostgres } from '../../scripts/testing/postgres.ts';
import { postmasterOf } from './postgres.ts';
import type { MeasuredProcesses } from './process-use.ts';

/** The processes of a run: servers, their PostgreSQL, and the driver. */
export function processesOf(servers: readonly number[], postgres?: TestPostgres): MeasuredProcesses[] {
  return [
    ...(servers.length > 0 ? [{ name: 'server', roots: servers }] : []),
    ...(postgres ? [{ name: 'PostgreSQL', roots: [postmasterOf(postgres)] }] : []),
    driver,
  ];
}

const driver: MeasuredProcesses = { name: 'driver', roots: [process.pid], isAlone: true };
