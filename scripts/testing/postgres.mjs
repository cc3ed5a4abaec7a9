// A PostgreSQL server of the tests' own: fresh, on a free port, gone afterwards.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** PostgreSQL refuses to run as root, so root hands over to the account the Debian package made. */
function run(command, args) {
  const root = process.getuid?.() === 0;
  const [program, all] = root ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, args];
  const { status, stderr, stdout } = spawnSync(program, all, { encoding: 'utf8', cwd: tmpdir() });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr || stdout}`);
}

/**
 * @param {string} initdb path of the initdb program; pg_ctl is expected beside it
 * @returns {Promise<{ url: string, stop: () => void }>}
 */
export async function startPostgres(initdb) {
  const folder = mkdtempSync(join(tmpdir(), 'hilltop-postgres-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  const port = await freePort();
  const pgCtl = join(dirname(initdb), 'pg_ctl');
  run(initdb, ['-D', data, '-U', 'hilltop', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8']);
  run(pgCtl, [
    '-D',
    data,
    '-w',
    '-l',
    join(folder, 'log'),
    '-o',
    `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200`,
    'start',
  ]);
  return {
    url: `postgres://hilltop@127.0.0.1:${port}/postgres`,
    stop() {
      run(pgCtl, ['-D', data, '-m', 'immediate', 'stop']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
