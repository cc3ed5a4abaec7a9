import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../testing/child-environment.ts';
import type { Report } from './report/report.ts';

const program = fileURLToPath(new URL('../import-v3.ts', import.meta.url));
const password = 'p4ss-of-the-old-one';

/** A PostgreSQL that asks for a password and accepts none. */
function strictPostgres(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    const sslRequest = 80_877_103;
    if (data.length === 8 && data.readInt32BE(4) === sslRequest) socket.write('N');
    else if (data[0] !== 'p'.charCodeAt(0)) socket.write(Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 3));
    else socket.end(errorOf('SFATAL\0C28P01\0Mpassword authentication failed for user "chirpstack"\0\0'));
  });
}

function errorOf(fields: string): Buffer {
  const message = Buffer.from(`E....${fields}`, 'latin1');
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

/** A Redis that accepts no password. */
function strictRedis(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    const isAuth = /auth/i.test(data.toString('latin1'));
    socket.write(
      isAuth ? '-WRONGPASS invalid username-password pair or user is disabled.\r\n' : '-NOAUTH required.\r\n',
    );
  });
}

describe('npm run import-v3', () => {
  let dir: string;
  const servers = [createServer(strictPostgres), createServer(strictRedis)];
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-import-'));
    for (const server of servers) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    const [postgres, redis] = servers.map((server) => (server.address() as { port: number }).port);
    const places = `[postgresql]\ndsn="postgres://chirpstack:${password}@127.0.0.1:${postgres}/v3?sslmode=disable"\n[redis]\nservers=["127.0.0.1:${redis}"]\npassword="${password}"\n`;
    const server = '[application_server]\nid="6d5db27e-4ce2-4b2b-b5d7-91f069397978"\n';
    const secret = `[application_server.external_api]\njwt_secret="${password}"\n`;
    await writeFile(join(dir, 'as.toml'), places + server + secret);
    await writeFile(join(dir, 'ns.toml'), `${places}[network_server.band]\nname="EU868"\n`);
  });
  after(async () => {
    for (const server of servers) server.close();
    await rm(dir, { recursive: true, force: true });
  });

  function run(...args: string[]): Promise<{ code: unknown; output: string }> {
    const environment = { ...childEnvironment, HILLTOP_DATA: join(dir, 'data') };
    const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string }>();
    const options = { cwd: dir, env: environment };
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
    return promise;
  }

  for (const [name, args] of [
    ['a dry run', ['--dry-run']],
    ['a move', []],
  ] as const)
    it(`reports in ${name} that a password is wrong without showing it, and writes nothing`, async () => {
      const { code, output } = await run('--config', 'as.toml', '--ns-config', 'ns.toml', ...args);
      assert.equal(code, 3);
      const text = await readFile(join(dir, 'import-v3-report.json'), 'utf8');
      const { findings } = JSON.parse(text) as Report;
      assert.deepEqual(
        findings.filter(({ kind }) => kind === 'stops').map(({ because }) => because.replaceAll(/:\d+/g, '')),
        [
          'The database of the application server at 127.0.0.1/v3 cannot be opened: password authentication failed for user "chirpstack".',
          'The Redis of the application server at 127.0.0.1 cannot be opened: WRONGPASS invalid username-password pair or user is disabled.',
          'The database of the network server at 127.0.0.1/v3 cannot be opened: password authentication failed for user "chirpstack".',
          'The Redis of the network server of ns.toml at 127.0.0.1 cannot be opened: WRONGPASS invalid username-password pair or user is disabled.',
        ],
      );
      assert.match(output, /Not ready:\n/);
      assert.ok(!output.includes(password) && !text.includes(password));
      assert.equal((await stat(join(dir, 'import-v3-report.json'))).mode & 0o777, 0o600);
      const isMove = args.length === 0;
      assert.equal((await readdir(dir)).includes('data'), isMove);
      if (!isMove) return;
      using database = new DatabaseSync(join(dir, 'data', 'hilltop.db'), { readOnly: true });
      for (const table of ['user', 'network_server', 'import_v3'])
        assert.deepEqual(database.prepare(`select * from "${table}"`).all(), []);
    });

  it('refuses a report that cannot be written before it does anything', async () => {
    const before = await readdir(dir);
    const { code, output } = await run('--config', 'as.toml', '--report', 'nowhere/report.json');
    assert.equal(code, 3);
    assert.match(output, /^The report cannot be written to nowhere\/report\.json \(ENOENT\): name another file/);
    assert.deepEqual(await readdir(dir), before);
  });

  it('makes a report readable by its owner only, also when it replaces a readable one', async () => {
    const file = join(dir, 'earlier.json');
    await writeFile(file, `${'an earlier report '.repeat(1000)}\n`, { mode: 0o644 });
    await run('--config', 'as.toml', '--dry-run', '--report', 'earlier.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok(Array.isArray((JSON.parse(await readFile(file, 'utf8')) as Report).findings));
  });
});
