import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from './testing/child-environment.ts';
import { createTestStorage, databases } from './testing/databases.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

describe('the command', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-main-'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  const anywhere = {
    HILLTOP_HTTP: '127.0.0.1:0',
    HILLTOP_UDP: '127.0.0.1:0',
    HILLTOP_BASICS_STATION: '',
    HILLTOP_GRPC: '',
    HILLTOP_MQTT: '',
    HILLTOP_MQTTS: '',
    HILLTOP_LOG_LEVEL: 'silent',
  };
  const started: ChildProcess[] = [];
  after(() => started.forEach((child) => child.kill('SIGKILL')));

  function start(environment: Record<string, string>, args: string[] = [], files?: number) {
    const command = [process.execPath, '--disable-warning=ExperimentalWarning', main, ...args];
    const child = spawn('sh', ['-c', `${files ? `ulimit -n ${files}; ` : ''}exec "$@"`, 'sh', ...command], {
      cwd: dir,
      env: { ...childEnvironment, ...anywhere, ...environment },
    });
    started.push(child);
    const output = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return { child, output, ended };
  }

  async function run(environment: Record<string, string>, args: string[] = []) {
    const { output, ended } = start(environment, args);
    return { code: await ended, ...output };
  }

  async function startListening(environment: Record<string, string>, files?: number) {
    const running = start(environment, [], files);
    const ready = Promise.withResolvers<void>();
    running.child.stdout!.on('data', () => running.output.out.includes('Gateways') && ready.resolve());
    void running.ended.then(() => ready.reject(new Error(`It ended: ${running.output.err}`)));
    await ready.promise;
    const [, url] = /Console\s+(\S+)/.exec(running.output.out) ?? [];
    return { ...running, url: url! };
  }

  /** Expects a start to fail with one line that states the reason, without a stack trace. */
  async function refuses(environment: Record<string, string>, says: RegExp, args: string[] = []) {
    const { code, out, err } = await run({ HILLTOP_DATA: join(dir, 'never'), ...environment }, args);
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.match(err, says);
    assert.match(err, /^Hilltop cannot start\. [^\n]+\n$/);
  }

  it('prints its help', async () => {
    const { code, out } = await run({}, ['--help']);
    assert.equal(code, 0);
    assert.match(out, /HILLTOP_DATABASE_URL/);
    assert.match(out, /--reset-password EMAIL/);
  });

  it('refuses invalid and unknown settings', async () => {
    await refuses({ HILLTOP_REGION: 'MARS' }, /HILLTOP_REGION must be/);
    await refuses({ HILLTOP_NONSENSE: 'x' }, /HILLTOP_NONSENSE is not a setting/);
    const file = join(dir, 'settings.json');
    await writeFile(file, '{ "region": "nowhere" }');
    await refuses({}, /region in .*settings\.json must be/, ['--config', file]);
  });

  it('refuses to start in an unusable environment', async () => {
    const blocker: Server = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    for (const setting of ['HILLTOP_HTTP', 'HILLTOP_GRPC'])
      await refuses(
        { [setting]: `127.0.0.1:${port}` },
        new RegExp(`127\\.0\\.0\\.1:${port} \\(${setting}\\) is in use`),
      );
    blocker.close();
    await refuses({ HILLTOP_DATA: join(dir, 'no', 'such') }, /data directory .* does not exist/);
    await refuses(
      { HILLTOP_DATABASE_URL: `postgres://u:hidden@127.0.0.1:${port}/x` },
      /database at HILLTOP_DATABASE_URL cannot be used: nothing listens there/,
    );
    await writeFile(join(dir, 'file'), 'x');
    await refuses({ HILLTOP_DATA: join(dir, 'file') }, /is not a directory/);
  });

  it('stops as usual on a signal between its first answer and its greeting', async () => {
    const { child, output, ended } = start({ HILLTOP_DATA: join(dir, 'early'), HILLTOP_LOG_LEVEL: 'info' });
    const listening = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', () => /Server listening/.test(output.out + output.err) && listening.resolve());
    await Promise.race([listening.promise, ended]);
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  });

  it('starts, shows a new password once, which must be changed, ends on SIGTERM and starts again with its data', async () => {
    const environment = { HILLTOP_DATA: join(dir, 'data') };
    const first = await startListening(environment);
    const [, email, password] = /Sign in\s+(\S+) with the password (\S+)/.exec(first.output.out) ?? [];
    const signIn = (url: string) =>
      fetch(new URL('/api/internal/login', url), { method: 'POST', body: JSON.stringify({ email, password }) });
    const login = await signIn(first.url);
    assert.equal(login.status, 200);
    const { jwt } = (await login.json()) as { jwt: string };
    const users = await fetch(new URL('/api/users', first.url), { headers: { authorization: `Bearer ${jwt}` } });
    assert.equal(users.status, 403);
    assert.match(await users.text(), /Choose your own one first/);
    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 0);

    const second = await startListening(environment);
    assert.ok(!second.output.out.includes(password!));
    assert.equal((await signIn(second.url)).status, 200);
    second.child.kill('SIGKILL');
    await second.ended;

    const third = await startListening(environment);
    assert.equal((await signIn(third.url)).status, 200);
    third.child.kill('SIGINT');
    assert.equal(await third.ended, 0);
  });

  it('does not start with another key or an older version than that of its data', async () => {
    const data = join(dir, 'kept');
    const { child, ended } = await startListening({ HILLTOP_DATA: data });
    child.kill('SIGTERM');
    await ended;
    const key = join(data, 'encryption.key');
    await rename(key, `${key}.lost`);
    await refuses({ HILLTOP_DATA: data }, /encryption\.key is missing in .*, and the database was written with it/);
    await writeFile(key, randomBytes(32).toString('hex'), { mode: 0o600 });
    await refuses({ HILLTOP_DATA: data }, /encryption\.key in .* is not the one the database was written with/);
    await rename(`${key}.lost`, key);
    const database = new DatabaseSync(join(data, 'hilltop.db'));
    database.exec("insert into kysely_migration values ('9999-future', '2099-01-01T00:00:00.000Z')");
    database.exec("update installation set schema_compatible_from = '99.1.0'");
    database.close();
    await refuses({ HILLTOP_DATA: data }, /a newer version of Hilltop has written it, and only 99\.1\.0 and newer can/);
  });

  for (const kind of databases) {
    it(`has its database exclusively, also after a previous one was killed, on ${kind}`, async () => {
      await using testStorage = await createTestStorage(kind);
      const data = join(testStorage.dataDir, 'data');
      const environment = {
        HILLTOP_DATA: data,
        ...(testStorage.databaseURL && { HILLTOP_DATABASE_URL: testStorage.databaseURL }),
      };
      const { child, ended, url } = await startListening(environment);
      await refuses(environment, /Another Hilltop is running with the (data directory|database)/);
      assert.equal((await fetch(new URL('/health', url))).status, 200);
      child.kill('SIGKILL');
      await ended;
      const next = await startListening(environment);
      next.child.kill('SIGTERM');
      assert.equal(await next.ended, 0);
    });
  }

  it('creates no new installation beside the keys of another', async () => {
    const data = join(dir, 'lost');
    const { child, ended } = await startListening({ HILLTOP_DATA: data });
    child.kill('SIGTERM');
    await ended;
    const file = join(data, 'hilltop.db');
    for (const lost of [() => rename(file, `${file}.kept`), () => writeFile(file, '')]) {
      await lost();
      await refuses(
        { HILLTOP_DATA: data },
        /hilltop\.db is empty or missing, but .* restore the database from a backup/,
      );
    }
    await rename(`${file}.kept`, file);
    const again = await startListening({ HILLTOP_DATA: data });
    again.child.kill('SIGTERM');
    await again.ended;
  });

  it('makes its directory unreadable for others, whatever its mode was', async () => {
    const data = join(dir, 'open');
    const environment = { HILLTOP_DATA: data };
    const modes = async () => {
      const names = await readdir(data);
      assert.ok(
        ['hilltop.db', 'hilltop.db-wal', 'hilltop.lock', 'encryption.key'].every((name) => names.includes(name)),
      );
      const paths = names.map((name) => join(data, name));
      const found = await Promise.all([data, ...paths].map(async (path) => (await stat(path)).mode & 0o777));
      return found.map((mode) => mode.toString(8)).join(' ');
    };
    const first = await startListening(environment);
    const secret = `700${' 600'.repeat((await readdir(data)).length)}`;
    assert.equal(await modes(), secret);
    first.child.kill('SIGKILL');
    await first.ended;
    for (const name of await readdir(data)) await chmod(join(data, name), 0o644);
    await chmod(data, 0o755);
    const second = await startListening(environment);
    assert.equal(await modes(), secret);
    second.child.kill('SIGTERM');
    await second.ended;
  });

  it('warns about a low limit of open files, and one address cannot use them up', async () => {
    const environment = { HILLTOP_DATA: join(dir, 'few'), HILLTOP_HTTP: '0.0.0.0:0', HILLTOP_LOG_LEVEL: 'warn' };
    const { output, url, child, ended } = await startListening(environment, 400);
    assert.match(output.out, /only 400 files and connections may be open at once/);
    const { port } = new URL(url);
    const sockets = Array.from({ length: 600 }, () =>
      connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => {}),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
    for (const socket of sockets) socket.destroy();
    child.kill('SIGTERM');
    await ended;
  });

  it('creates the first administrator with the given password', async () => {
    const { output, url, child, ended } = await startListening({
      HILLTOP_DATA: join(dir, 'given'),
      HILLTOP_ADMIN_EMAIL: 'me@example.org',
      HILLTOP_ADMIN_PASSWORD: 'canary-password',
    });
    assert.ok(!output.out.includes('canary-password'));
    const body = JSON.stringify({ email: 'me@example.org', password: 'canary-password' });
    assert.equal((await fetch(new URL('/api/internal/login', url), { method: 'POST', body })).status, 200);
    child.kill('SIGTERM');
    await ended;
  });

  for (const kind of databases)
    it(`resets a password, makes an admin and creates API keys beside a running server and without one, on ${kind}`, async () => {
      await using testStorage = await createTestStorage(kind);
      const environment = {
        HILLTOP_DATA: join(testStorage.dataDir, 'data'),
        ...(testStorage.databaseURL && { HILLTOP_DATABASE_URL: testStorage.databaseURL }),
        HILLTOP_ADMIN_EMAIL: 'anna@example.org',
        HILLTOP_ADMIN_PASSWORD: 'canary-password',
        HILLTOP_LOG_LEVEL: 'info',
      };
      const command = async (...args: string[]) => {
        const { code, out, err } = await run(environment, args);
        assert.equal(err.split('\n').length, 2, err);
        return { code, secret: out.trim(), err: err.trim() };
      };
      const nobody = await command('--reset-password', 'anna@example.org');
      assert.equal(nobody.code, 1);
      assert.match(nobody.err, kind === 'sqlite' ? /^There is no database in/ : /start this version of Hilltop once/);

      const { url, child, ended, output } = await startListening(environment);
      const call = async (path: string, token?: string, body?: object, method = 'POST') => {
        const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), connection: 'close' };
        const write = body && { method, body: JSON.stringify(body) };
        const response = await fetch(new URL(path, url), { headers, ...write });
        return { status: response.status, body: (await response.json()) as Record<string, unknown> };
      };
      const signIn = async (email: string, password: string) =>
        ((await call('/api/internal/login', undefined, { email, password })).body['jwt'] as string | undefined) ?? '';
      /** A generated password is good for choosing another one only. */
      const signInFirst = async (email: string, generated: string) => {
        const token = await signIn(email, generated);
        const held = await call('/api/users?limit=1', token);
        assert.equal(held.status, 403);
        assert.match(String(held.body['error']), /^Your password was generated by the server\./);
        const { user } = (await call('/api/internal/profile', token)).body as { user: { id: string } };
        const password = `chosen by ${email}`;
        assert.equal((await call(`/api/users/${user.id}/password`, token, { password }, 'PUT')).status, 200);
        return signIn(email, password);
      };
      const session = await signIn('anna@example.org', 'canary-password');
      assert.equal((await call('/api/users?limit=1', session)).status, 200);

      const reset = await command('--reset-password', 'Anna@Example.org');
      assert.deepEqual(
        [reset.code, reset.err],
        [0, 'anna@example.org has a new password, to be changed after signing in, and is signed out everywhere.'],
      );
      // The server notices it when its cache of callers expires.
      while ((await call('/api/users?limit=1', session)).status !== 401);
      assert.equal(await signIn('anna@example.org', 'canary-password'), '');
      const again = await signInFirst('anna@example.org', reset.secret);
      assert.equal((await call('/api/users?limit=1', again)).status, 200);

      const made = await command('--make-admin', 'bo@example.org');
      assert.equal((await call('/api/users?limit=1', await signInFirst('bo@example.org', made.secret))).status, 200);
      const key = await command('--create-api-key', 'exporter', '--access', 'READ', '--organization', '1');
      assert.equal((await call('/api/applications?limit=1&organizationID=1', key.secret)).status, 200);
      assert.equal((await call('/api/users?limit=1', key.secret)).status, 403);

      const wrong = await command('--reset-password', 'nobody@example.org');
      const says = 'There is no user with the e-mail address nobody@example.org.';
      assert.deepEqual([wrong.code, wrong.secret, wrong.err], [1, '', says]);
      const { code, err } = await command('--reset-second-factor', 'bo@example.org');
      assert.deepEqual([code, err], [1, 'bo@example.org has no second factor.']);
      const { body } = await call('/api/audit?limit=100', again);
      const entries = (body['result'] as { actorKind: string; operation: string; subjectName: string }[])
        .filter(({ actorKind }) => actorKind === 'COMMAND')
        .map(({ operation, subjectName }) => `${operation} ${subjectName}`);
      assert.deepEqual(entries, [
        'internal.createAPIKey exporter',
        'user.create bo@example.org',
        'user.updatePassword anna@example.org',
      ]);
      child.kill('SIGTERM');
      await ended;

      const offline = await command('--make-admin', 'anna@example.org');
      assert.deepEqual([offline.code, offline.secret], [0, '']);
      const everything = await command('--create-api-key', 'all', '--expires', '30');
      const next = await startListening(environment);
      const users = await fetch(new URL('/api/users', next.url), {
        headers: { authorization: `Bearer ${everything.secret}` },
      });
      assert.equal(users.status, 200);
      next.child.kill('SIGTERM');
      await next.ended;
      for (const secret of [reset.secret, made.secret, key.secret, everything.secret])
        for (const log of [output, next.output]) assert.ok(!`${log.out}${log.err}`.includes(secret));
    });
});
