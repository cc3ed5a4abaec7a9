/** A PostgreSQL server of the tests' own: fresh, on a free port, gone afterwards. */
import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

export interface TestPostgres {
  url: string;
  /** Folder of its data, with `postmaster.pid`. */
  data: string;
  /** Ends it at once, as a crash does; `resume` starts it again on the same data and port. */
  halt: () => Promise<void>;
  resume: () => Promise<void>;
  /** Ends it for good and removes its data. */
  stop: () => Promise<void>;
}

const execute = promisify(execFile);

/** PostgreSQL refuses to run as root, so root hands over to the account the Debian package made. */
async function run(command: string, args: readonly string[]): Promise<void> {
  const root = process.getuid?.() === 0;
  if (root) await execute('runuser', ['-u', 'postgres', '--', command, ...args], { cwd: tmpdir() });
  else await execute(command, args, { cwd: tmpdir() });
}

interface Options {
  /** Where it listens beside 127.0.0.1, for their networks. */
  addresses?: readonly string[];
  /** Whether a commit waits for the disk. Without it everything survives the end of PostgreSQL, but not of the machine. */
  fsync?: boolean;
}

/** `initdb` is the path of that program; pg_ctl is expected beside it. */
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
