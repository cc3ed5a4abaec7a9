import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Client } from '@hilltop/contract/client';
import {
  freePort,
  freeUdpPort,
  type NetworkPlan,
  planNetwork,
  seededRandom,
  startSimulation,
} from '@hilltop/simulator';
import { connectAsync } from 'mqtt';
import { provision } from '../demo/provision.ts';
import { isUp, signIn } from '../demo/server.ts';
import { archiveName, makeArchive } from './archive.ts';
import { platforms, withoutSymbols } from './node-program.ts';

const platform = platforms.find((name) => name === `linux-${process.arch}`);
const execute = promisify(execFile);
const mostMB = 150;
/** Sensors whose values a script decodes. */
const withScript = 'door-contact';
const decoded = /openings/;

/** A root directory with a shell, the libraries that Node.js needs, and nothing else. */
function createRoot(folder: string, program: string): void {
  for (const directory of ['tmp', 'data', 'bin']) mkdirSync(join(folder, directory));
  const shell = '/bin/sh';
  copyFileSync(shell, join(folder, shell));
  const listed = [shell, program].map((file) => execFileSync('ldd', [file], { encoding: 'utf8' })).join('\n');
  for (const [, library = ''] of listed.matchAll(/(\/\S+) \(0x/g)) {
    mkdirSync(join(folder, dirname(library)), { recursive: true });
    copyFileSync(library, join(folder, library));
  }
}

/** The command that makes a folder the root of a process; undefined where the system does not allow that. */
function rootChanger(folder: string): string[] | undefined {
  const ways = [['chroot'], ['unshare', '--user', '--map-root-user', 'chroot']];
  return ways.find(
    ([program = '', ...args]) => spawnSync(program, [...args, folder, '/bin/sh', '-c', ':']).status === 0,
  );
}

/** A plan with one gateway and one device that it hears. */
function smallPlan(): NetworkPlan {
  const plan = planNetwork({ gateways: 3, devices: 60, random: seededRandom(2026) });
  const device = plan.devices.find(
    ({ sensor, wrongKey, lossDb, classB }) => sensor === withScript && !wrongKey && !lossDb && !classB,
  )!;
  return { ...plan, devices: [device] };
}

/** Resolves with the first request that the endpoint of an integration receives. */
async function openEndpoint() {
  const received = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      response.end();
      if (request.url?.includes('event=up')) received.resolve(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, received: received.promise, close: () => server.close() };
}

describe('the archive', { skip: platform === undefined && 'There are archives for Linux only.' }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'hilltop-archive-'));
  const root = join(scratch, 'root');
  const installed = `/opt/${archiveName(platform ?? 'linux-x64')}`;
  const [email, password] = ['admin@example.org', 'correct horse battery staple'];
  let change: string[] | undefined;
  let server: ChildProcess;
  let url: string;
  let ports: { udp: number; mqtt: number };
  let client: Client;

  /** A command line in the root: without its environment variables and its programs. */
  const inRoot = (file: string, ...args: string[]) =>
    change ? [...change, root, `${installed}/${file}`, ...args] : [`${root}${installed}/${file}`, ...args];
  const data = () => (change ? '/data' : join(root, 'data'));

  async function run(...args: string[]) {
    const [program = '', ...rest] = inRoot('hilltop', ...args);
    return execute(program, rest, { env: { PATH: '/usr/sbin:/usr/bin:/bin', HILLTOP_DATA: data() } });
  }

  before(async () => {
    const { file, unpackedMB } = await makeArchive(platform!, { into: scratch, level: 1 });
    assert.ok(unpackedMB < mostMB, `${unpackedMB} MB`);
    mkdirSync(join(root, 'opt'), { recursive: true });
    execFileSync('tar', ['-xzf', file, '-C', join(root, 'opt')]);
    createRoot(root, `${root}${installed}/bin/node`);
    change = rootChanger(root);
    ports = { udp: await freeUdpPort(), mqtt: await freePort() };
    const http = `127.0.0.1:${await freePort()}`;
    url = `http://${http}`;
    const [program = '', ...args] = inRoot('hilltop');
    server = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      cwd: root,
      env: {
        PATH: '/usr/sbin:/usr/bin:/bin',
        HILLTOP_DATA: data(),
        HILLTOP_HTTP: http,
        HILLTOP_UDP: `127.0.0.1:${ports.udp}`,
        HILLTOP_MQTT: `127.0.0.1:${ports.mqtt}`,
        HILLTOP_MQTTS: '',
        HILLTOP_BASICS_STATION: '',
        HILLTOP_GRPC: '',
        HILLTOP_LOG_LEVEL: 'warn',
        HILLTOP_THREADS: '2',
        HILLTOP_ADMIN_EMAIL: email,
        HILLTOP_ADMIN_PASSWORD: password,
        HILLTOP_OUTGOING_ALLOW: '127.0.0.1',
      },
    });
    assert.ok(await isUp(server, url, { everyMs: 20, withinMs: 60_000 }));
    client = await signIn(url, email, password);
  });
  after(() => {
    server?.kill('SIGKILL');
    rmSync(scratch, { recursive: true });
  });

  it('runs in a root without npm and other programs', (t) => {
    if (!change) t.diagnostic('This user may not change the root: the archive runs in its folder.');
    assert.ok(statSync(join(root, 'data/hilltop.db')).size > 0);
  });

  it('delivers a decoded uplink by MQTT, by an integration and in the history', async (t) => {
    const plan = smallPlan();
    const { devEUI } = plan.devices[0]!;
    const organizationID = await provision(client, plan);
    const { device } = await client.device.get({ devEUI });
    const { applicationID } = device;
    const endpoint = await openEndpoint();
    t.after(endpoint.close);
    await client.application.createHTTPIntegration({
      integration: { applicationID, marshaler: 'JSON', eventEndpointURL: endpoint.url },
    });
    const key = await client.internal.createAPIKey({ apiKey: { name: 'test', organizationID } });
    const mqtt = await connectAsync(`mqtt://127.0.0.1:${ports.mqtt}`, { username: 'test', password: key.jwtToken });
    t.after(() => mqtt.endAsync(true));
    const topic = `application/${applicationID}/device/${devEUI}/event/up`;
    await mqtt.subscribeAsync(topic);
    const published = Promise.withResolvers<string>();
    mqtt.on('message', (_topic, message) => published.resolve(message.toString()));
    await using _simulation = await startSimulation({
      server: `127.0.0.1:${ports.udp}`,
      plan,
      rate: 2,
      startWithinMs: 0,
      random: seededRandom(1),
    });
    for (const event of [await published.promise, await endpoint.received]) assert.match(event, decoded);
    const { result } = await client.history.list({ devEUI, kinds: ['up'], limit: 1 });
    assert.equal(result.length, 1);
    const metrics = await fetch(`${url}/metrics`);
    assert.doesNotMatch(await metrics.text(), /database_threads_lost_total [1-9]/);
  });

  it('has its code as ASCII, of which V8 stores one byte for each character', () => {
    const folder = join(root, installed, 'server');
    const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
    assert.deepEqual(
      files.filter((name) => readFileSync(join(folder, name)).some((byte) => byte > 0x7f)),
      [],
    );
  });

  it('serves the console, the documents and the page of the API', async () => {
    for (const path of ['/', '/docs', '/api']) {
      const answer = await fetch(url + path);
      assert.equal(answer.status, 200, path);
      assert.match(await answer.text(), /<!doctype html>/i, path);
    }
  });

  it('has the commands', async () => {
    const { stderr, stdout } = await run('--reset-password', email);
    assert.match(stderr, /new password/i);
    assert.match(stdout, /^\S+\n$/);
    await run('backup', join(data(), 'one.backup'));
    assert.ok(statSync(join(root, 'data/one.backup')).size > 0);
    assert.match((await run('restore', '--help')).stdout, /Usage:/);
    assert.match((await run('import-v3', '--help')).stdout, /Usage:/);
  });

  it('ends on SIGTERM', async () => {
    server.kill('SIGTERM');
    assert.deepEqual(await once(server, 'exit'), [0, null]);
  });

  it('stores its compiled code for the next start', () => {
    const stored = readdirSync(join(root, installed, 'cache'), { recursive: true, withFileTypes: true });
    assert.ok(stored.filter((entry) => entry.isFile()).length > 10);
  });
});

describe('the symbols of a program', () => {
  it('are removed, which changes nothing that is loaded', () => {
    const program = Buffer.alloc(300, 7);
    program.writeUInt32BE(0x7f_45_4c_46, 0);
    program.writeBigUInt64LE(64n, 0x20);
    program.writeBigUInt64LE(280n, 0x28);
    program.writeUInt16LE(56, 0x36);
    program.writeUInt16LE(2, 0x38);
    for (const [at, offset, size] of [
      [64, 0n, 120n],
      [120, 120n, 80n],
    ] as const) {
      program.writeBigUInt64LE(offset, at + 0x08);
      program.writeBigUInt64LE(size, at + 0x20);
    }
    const loaded = withoutSymbols(program);
    assert.equal(loaded.length, 200);
    assert.deepEqual(loaded.subarray(64), program.subarray(64, 200));
    assert.throws(() => withoutSymbols(Buffer.alloc(100)), /ELF/);
  });
});
