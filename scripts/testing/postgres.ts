/** A temporary PostgreSQL server for tests, on a free port. */
import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@hilltop/simulator';

export interface TestPostgres {
  url: string;
  /** The data folder, with `postmaster.pid`. */
  data: string;
  /** Stops the server at once, like a crash; `resume` starts it on the same data and port. */
  halt: () => Promise<void>;
  resume: () => Promise<void>;
  /** Stops the server and removes its data. */
  stop: () => Promise<void>;
}

const execute = promisify(execFile);

/** PostgreSQL refuses to run as root: root runs it as the user that the Debian package created. */
async function run(command: string, args: readonly string[]): Promise<void> {
  const root = process.getuid?.() === 0;
  if (root) await execute('runuser', ['-u', 'postgres', '--', command, ...args], { cwd: tmpdir() });
  else await execute(command, args, { cwd: tmpdir() });
}

interface Options {
  /** Addresses to listen at besides 127.0.0.1; their /24 networks may connect. */
  addresses?: readonly string[];
  /** Whether a commit waits for the disk. Without it, commits survive a crash of PostgreSQL, but not of the machine. */
  fsync?: boolean;
}

/** `initdb`: path of that program; pg_ctl is in the same folder. */
export async function startPostgres(
  initdb: string,
  { addresses = [], fsync = true }: Options = {},
): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'hilltop-postgres-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  const port = await freePort();
  const pgCtl = join(dirname(initdb), 'pg_ctl');
  const listening = ['127.0.0.1', ...addresses].join();
  const settings = `-p ${port} -c listen_addresses=${listening} -c unix_socket_directories= -c max_connections=200 -c fsync=${fsync ? 'on' : 'off'}`;
  const resume = () => run(pgCtl, ['-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, 'start']);
  const halt = () => run(pgCtl, ['-D', data, '-m', 'immediate', 'stop']);
  await run(initdb, ['-D', data, '-U', 'hilltop', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8']);
  const allowed = addresses.map((address) => `host all all ${address}/24 trust\n`);
  appendFileSync(join(data, 'pg_hba.conf'), allowed.join(''));
  await resume();
  return {
    url: `postgres://hilltop@127.0.0.1:${port}/postgres`,
    data,
    halt,
    resume,
    async stop() {
      await halt();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
