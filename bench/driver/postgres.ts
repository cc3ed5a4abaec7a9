/** A PostgreSQL server for one case, from the Debian package, started as the tests start it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareMachine } from '../../scripts/testing/machine.ts';
import { startPostgres, type TestPostgres } from '../../scripts/testing/postgres.ts';
import { treeSeconds } from './process-use.ts';

/** The server listens at `addresses` and at 127.0.0.1. */
export async function startBenchPostgres(addresses: readonly string[] = []): Promise<TestPostgres> {
  const { postgresql } = prepareMachine();
  if (!postgresql) throw new Error('PostgreSQL is not installed (no initdb found).');
  return startPostgres(postgresql, { addresses });
}

export function postmasterOf({ data }: TestPostgres): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Processor time of all processes of PostgreSQL in seconds, including processes of closed connections. */
export const postgresSeconds = (server: TestPostgres): number => treeSeconds(postmasterOf(server));

/** Counts the rows of a table over a connection of its own. */
export function countRows(table: string, { url }: TestPostgres): number {
  return Number(execFileSync('psql', [url, '-Atc', `select count(*) from ${table}`], { encoding: 'utf8' }));
}

/** Total size in bytes of all files below a folder; files removed meanwhile do not count. */
export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
