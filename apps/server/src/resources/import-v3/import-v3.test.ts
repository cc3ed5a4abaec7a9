import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type ImportV3Report, operations } from '@hilltop/contract';
import { dryRun } from '../../import-v3/import.ts';
import { fillVersion3, fixture } from '../../import-v3/testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from '../../import-v3/testing/version-3.ts';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { createOrganization } from '../../testing/factories.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { importV3 } = operations;

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const file = (name: string, text: string, environment = '') => ({ name, text, environment });
const stops = ({ findings }: ImportV3Report) =>
  findings.filter(({ kind }) => kind === 'STOPS').map(({ because }) => because);

describe('a dry run of uploaded files', needsVersion3, () => {
  let v3: Version3;
  let app: TestApp;
  let ownPort: number;
  let as: string;
  let ns: string;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    as = await readFile(v3.config, 'utf8');
    ns = await readFile(v3.networkServerConfig, 'utf8');
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    ownPort = (probe.address() as { port: number }).port;
    probe.close();
    app = await startTestApp('sqlite', { http: `127.0.0.1:${ownPort}` });
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await v3[Symbol.asyncDispose]();
  });

  it('returns the same report as the command, without secrets', async () => {
    const report = await app.call(importV3.dryRun, {
      applicationServer: file('as.toml', as),
      networkServers: [file('ns.toml', ns)],
    });
    const choice = { config: v3.config, networkServerConfigs: [v3.networkServerConfig], downlinkMargin: 1 };
    const expected = await dryRun({ ...choice, isFinal: false }, quiet);
    assert.deepEqual(stops(report), []);
    assert.deepEqual(report.counts, expected.counts);
    assert.deepEqual(
      report.findings.map(({ what, because, count }) => [what, because, count]),
      expected.findings.map(({ what, because, count }) => [what, because, count]),
    );
    assert.deepEqual(report.sources, expected.sources);
    const text = JSON.stringify(report);
    for (const secret of [fixture.appSKey, fixture.nwkKey, 'a header secret', 'verysecret'])
      assert.ok(!text.includes(secret));
  });

  it('accepts an environment in addition to a file, or instead of one', async () => {
    const dsn = /dsn="([^"]+)"/.exec(as)![1]!;
    const report = await app.call(importV3.dryRun, {
      applicationServer: file('as.toml', as.replace(dsn, 'postgres://u:p@127.0.0.1:1/none'), `POSTGRESQL__DSN=${dsn}`),
    });
    assert.deepEqual(stops(report), []);
  });

  it('reports that this server has more records than a first start creates', async () => {
    const id = await createOrganization(app);
    const report = await app.call(importV3.dryRun, { applicationServer: file('as.toml', as) });
    assert.match(stops(report).join(), /^This Hilltop is not empty/);
    await app.call(operations.organization.delete, { id });
  });

  it('runs once at a time', async () => {
    const ask = () => app.call(importV3.dryRun, { applicationServer: file('as.toml', as) });
    const [one, other] = await Promise.allSettled([ask(), ask()]);
    assert.deepEqual([one.status, other.status].toSorted(), ['fulfilled', 'rejected']);
    const refused = [one, other].find((outcome) => outcome.status === 'rejected');
    assert.match(String(refused?.reason), /Another dry run is in progress/);
  });

  it('refuses two files with the same name', () =>
    assert.rejects(
      app.call(importV3.dryRun, { applicationServer: file('a', as), networkServers: [file('a', ns)] }),
      /Two files have this name/,
    ));

  it('does not connect to this server', async () => {
    const text = as.replace(/dsn="[^"]+"/, `dsn="host=localhost port=${ownPort} user=u"`);
    const report = await app.call(importV3.dryRun, { applicationServer: file('as.toml', text) });
    assert.match(stops(report).join('\n'), /localhost:\d+ is this server itself/);
  });

  it('ends when a database sends without an end', async () => {
    const message = (type: string, body: Uint8Array, length = body.length + 4) => {
      const head = Buffer.alloc(5);
      head.write(type);
      head.writeUInt32BE(length, 1);
      return Buffer.concat([head, body]);
    };
    const piece = Buffer.alloc(1_000_000);
    const endless = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(message('R', Buffer.alloc(4)));
        socket.write(message('Z', Buffer.from('I')));
        socket.once('data', () => {
          socket.write(message('D', piece, 2 ** 31 - 1));
          let pieces = 0;
          // The fake database stops after a while, in case the server reads everything.
          const more = () => {
            while (pieces++ < 450) if (!socket.write(piece)) return;
            socket.destroy();
          };
          socket.on('drain', more);
          more();
        });
      });
    });
    endless.listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const { port } = endless.address() as { port: number };
    const text = as.replace(/dsn="[^"]+"/, `dsn="host=127.0.0.1 port=${port} user=u dbname=x sslmode=disable"`);
    try {
      await assert.rejects(
        app.call(importV3.dryRun, { applicationServer: file('as.toml', text) }),
        /too large or too slow/,
      );
    } finally {
      endless.close();
    }
  });

  it('does not wait for a Redis that never answers', async () => {
    const mute = createServer((socket) => void socket.on('error', () => undefined));
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    const text = as.replace(/servers=\[[^\]]*\]/, `servers=["127.0.0.1:${port}"]`);
    try {
      const report = await app.call(importV3.dryRun, { applicationServer: file('as.toml', text) });
      assert.match(stops(report).join('\n'), /The Redis of .* cannot be opened: no answer for 10 s/);
    } finally {
      mute.close();
    }
  });

  it('sends no password of this process to the server that a file names', async () => {
    process.env['PGPASSWORD'] = 'ours';
    after(() => delete process.env['PGPASSWORD']);
    const received: string[] = [];
    const asking = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.once('data', (password: Buffer) => {
          received.push(password.toString('latin1'));
          socket.destroy();
        });
        const askInTheClear = Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 3);
        socket.write(askInTheClear);
      });
    });
    asking.listen(0, '127.0.0.1');
    await once(asking, 'listening');
    const { port } = asking.address() as { port: number };
    const text = as.replace(/dsn="[^"]+"/, `dsn="host=127.0.0.1 port=${port} user=u dbname=x sslmode=disable"`);
    const report = await app.call(importV3.dryRun, { applicationServer: file('as.toml', text) });
    asking.close();
    assert.equal(stops(report).length, 1);
    // The dry run has ended, so nothing else can fail later.
    assert.equal(received.length, 1, stops(report).join());
    assert.ok(!received.join().includes('ours'));
  });
});

// Two files of one name are refused before the server reads them.
const twice = () => ({ applicationServer: file('as.toml', ''), networkServers: [file('as.toml', '')] });
describeAccess('sqlite', 'the dry run of an import', [row(importV3.dryRun, twice, admins, admins)]);
