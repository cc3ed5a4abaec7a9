import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { operations } from '@hilltop/contract';
import { freePort, freeUdpPort, startGateway } from '@hilltop/simulator';
import { WebSocket } from 'ws';
import { createGateway, createSurroundings } from './testing/field.ts';
import { createPublishedClient } from './testing/published-client.ts';
import { noInstances, startInstances, type TestApp, type TestInstances } from './testing/test-app.ts';

const folder = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const program = '/usr/sbin/nginx';
/** Built into the image of compose.yaml. */
const streams = '/usr/lib/nginx/modules/ngx_stream_module.so';
const skip = noInstances || (!existsSync(streams) && 'nginx-light and libnginx-mod-stream are not installed');
const execute = promisify(execFile);

/** Starts the nginx of `deploy/` on its own ports, in front of these instances. */
async function startNginx(apps: readonly TestApp[]) {
  await using begun = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'hilltop-nginx-'));
  begun.defer(() => rm(directory, { recursive: true }));
  await copyFile(join(folder, 'make-secrets.sh'), join(directory, 'make-secrets.sh'));
  await execute('sh', ['make-secrets.sh', 'localhost'], { cwd: directory });
  const secrets = join(directory, 'secrets');
  const [https, http, stations, udp] = [await freePort(), await freePort(), await freePort(), await freeUdpPort()];
  let settings = (await readFile(join(folder, 'nginx.conf'), 'utf8'))
    .replaceAll('/tmp/', `${directory}/`)
    .replaceAll('/run/secrets', secrets)
    .replace('listen 1700', `listen 127.0.0.1:${udp}`)
    .replace('listen 3001', `listen 127.0.0.1:${stations}`)
    .replace('listen 8080', `listen 127.0.0.1:${http}`)
    .replace('listen 8443', `listen 127.0.0.1:${https}`);
  for (const [index, { url, udpPort, stationPort }] of apps.entries()) {
    const address = `172.29.17.1${index + 1}`;
    settings = settings
      .replaceAll(`${address}:8080`, new URL(url).host)
      .replaceAll(`${address}:1700`, `127.0.0.1:${udpPort}`)
      .replaceAll(`${address}:3001`, `127.0.0.1:${stationPort}`);
  }
  const file = join(directory, 'nginx.conf');
  await writeFile(file, `load_module ${streams};\ndaemon off;\n${settings}`);
  const child = spawn(program, ['-c', file, '-p', directory], { stdio: ['ignore', 'ignore', 'inherit'] });
  begun.defer(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const ca = await readFile(join(secrets, 'tls.crt'));
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(https, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.unref();
    });
  while (!(await listens())) {
    assert.equal(child.exitCode, null, 'nginx refuses its settings');
    await pause(20);
  }
  const all = begun.move();
  return { https, http, stations, udp, ca, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe('nginx before several instances', { skip }, () => {
  let instances: TestInstances;
  let one: TestApp;
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  before(async () => {
    instances = await startInstances(3, { trustProxy: '127.0.0.1', basicsStation: '127.0.0.1:0' });
    [one] = instances.apps as [TestApp];
    nginx = await startNginx(instances.apps);
  });
  after(async () => {
    await nginx[Symbol.asyncDispose]();
    await instances[Symbol.asyncDispose]();
  });

  const fetchOver = (path: string, token = one.adminToken): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      get(`https://localhost:${nginx.https}${path}`, { ca: nginx.ca, headers, agent: false }, (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode!, body }), reject);
      }).on('error', reject);
    });

  it('redirects browsers to TLS, and forwards calls to the instances', async () => {
    const plain = await fetch(`http://localhost:${nginx.http}/api`, { redirect: 'manual' });
    assert.deepEqual([plain.status, plain.headers.get('location')], [301, 'https://localhost/api']);
    for (let call = 0; call < 6; call += 1) assert.equal((await fetchOver('/api/internal/profile')).status, 200);
  });

  it('forwards websockets and gRPC', async () => {
    const path = '/api/devices/0102030405060708/events';
    const socket = new WebSocket(`wss://localhost:${nginx.https}${path}`, ['Bearer', 'none'], { ca: nginx.ca });
    const [message] = (await once(socket, 'message')) as [Buffer];
    assert.match(message.toString(), /"grpcCode":16/);
    socket.terminate();
    using client = createPublishedClient(`https://localhost:${nginx.https}`, {
      secrets: credentials.createSsl(nginx.ca),
    });
    await createSurroundings(one);
    const { totalCount } = (await client.call(operations.organization.list, { limit: 10 }, one.adminToken)) as {
      totalCount: string;
    };
    assert.notEqual(totalCount, '0');
  });

  it('forwards the packet forwarders of an ended instance to another one', async () => {
    const { organizationID } = await createSurroundings(one);
    const gatewayID = await createGateway(one, organizationID);
    const server = `127.0.0.1:${nginx.udp}`;
    await using gateway = await startGateway({ server, gatewayID, keepaliveMs: 500 });
    await gateway.online();
    // A server that receives this gateway also receives the other one, which has the same address.
    await using stranger = await startGateway({ server, gatewayID: 'feed000000000001' });
    await stranger.push([], {}).acknowledged;
    const refused = 'hilltop_gateway_datagrams_dropped_total{fault="unknown-gateway"}';
    const received = await Promise.all(instances.apps.map(async (app) => (await app.fetch('/metrics')).text()));
    const holder = instances.apps.find((_, index) => received[index]!.includes(refused));
    await holder![Symbol.asyncDispose]();
    const before = gateway.counts.pullsAcknowledged;
    while (gateway.counts.pullsAcknowledged < before + 2) await pause(20);
  });
});
