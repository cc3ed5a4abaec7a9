import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createDevice, type Device, type Gateway, startGateway } from '@hilltop/simulator';
import { type Server, startServer } from '../../compose.ts';
import { createLog } from '../../log.ts';
import { openStorage } from '../../storage.ts';
import { createTestClient } from '../../testing/client.ts';
import { createTestStorage, type TestStorage } from '../../testing/databases.ts';
import { testSettings } from '../../testing/test-settings.ts';
import { type TestWatch, watch } from '../../testing/watch.ts';
import { type ImportTarget, importAll } from '../import.ts';
import { fillVersion3, fixture } from '../testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from '../testing/version-3.ts';
import { writeBack } from './write-back.ts';

const { devEUI, joinEUI } = fixture;
const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };

let v3: Version3;
before(async () => {
  v3 = await startVersion3();
  await fillVersion3(v3);
});
after(() => v3?.[Symbol.asyncDispose]());

const choice = () => ({
  config: v3.config,
  networkServerConfigs: [v3.networkServerConfig],
  downlinkMargin: 1,
  isFinal: true,
});

async function withStorage<T>(testStorage: TestStorage, work: (target: ImportTarget) => Promise<T>): Promise<T> {
  const config = testSettings(testStorage);
  const storage = await openStorage(config, createLog(config));
  try {
    return await work({ ...storage, config });
  } finally {
    await storage.close();
  }
}

interface Running {
  server: Server;
  gateway: Gateway;
  events: TestWatch;
  enqueue: (fPort: number) => Promise<unknown>;
}

async function running(testStorage: TestStorage, work: (running: Running) => Promise<void>): Promise<void> {
  const server = await startServer(testSettings(testStorage));
  try {
    await using gateway = await startGateway({
      server: `127.0.0.1:${server.udpPort}`,
      gatewayID: fixture.gatewayID,
    });
    await gateway.online();
    const address = `http://127.0.0.1:${server.httpPort}`;
    const client = createTestClient(address);
    const token = await client.signIn('anna@example.org', fixture.password);
    await using events = await watch(address, `/api/devices/${devEUI}/events`, token);
    const enqueue = (fPort: number) =>
      client.call(operations.deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort, data: 'AQI=' } }, token);
    await work({ server, gateway, events, enqueue });
  } finally {
    await server.stop();
  }
}

/** Sends an uplink and resolves with its frame counter once it is an event. */
async function speak({ gateway, events }: Running, device: Device): Promise<number> {
  gateway.receiveFrame(device.uplink({ fPort: 1, data: Uint8Array.of(7) }));
  for (;;) {
    const { result } = await events.next();
    if (result?.type === 'up') return (JSON.parse(result.payloadJSON) as { fCnt: number }).fCnt;
  }
}

async function apply(directory: string): Promise<void> {
  await v3.query('as', await readFile(join(directory, 'application-server.sql'), 'utf8'));
  await v3.query('ns', await readFile(join(directory, 'network-server-3.sql'), 'utf8'));
  const socket = connect(v3.redisPort, '127.0.0.1');
  let answers = '';
  socket.on('data', (data) => (answers += data.toString()));
  socket.end(await readFile(join(directory, 'network-server-3.redis')));
  await once(socket, 'close');
  assert.doesNotMatch(answers, /^-/m);
}

it('lets version 3 continue with the counters, joins and queued downlinks of Hilltop', needsVersion3, async () => {
  await using testStorage = await createTestStorage('sqlite');
  await withStorage(testStorage, (target) => importAll(choice(), target, quiet));
  const of = { devEUI, joinEUI, macVersion: '1.0.3', region: 'EU868', random: Math.random } as const;
  const device = createDevice({ ...of, nwkKey: fixture.nwkKey, devNonce: fixture.usedNonce });
  await running(testStorage, async (one) => {
    one.gateway.receiveFrame(device.joinRequest());
    assert.equal(device.receive((await one.gateway.nextDownlink(8000)).phyPayload).kind, 'joined');
    assert.equal(await speak(one, device), 0);
    await one.enqueue(2);
    assert.equal(await speak(one, device), 1);
    assert.equal(device.receive((await one.gateway.nextDownlink(8000)).phyPayload).kind, 'data');
    await one.enqueue(3);
  });
  const directory = join(testStorage.dataDir, 'back');
  const report = await withStorage(testStorage, (target) => writeBack(choice(), target, directory));
  assert.deepEqual(
    report.counts.map(({ what, changed, notCarried }) => [what, changed, notCarried]),
    [
      ['sessions', 1, 0],
      ['queued downlinks', 1, 0],
    ],
  );
  assert.deepEqual((await readdir(directory)).toSorted(), [
    'application-server.sql',
    'configured-here.txt',
    'network-server-3.redis',
    'network-server-3.sql',
  ]);
  for (const name of await readdir(directory)) assert.equal((await stat(join(directory, name))).mode & 0o777, 0o600);
  await apply(directory);
  await apply(directory);

  const devAddr = device.session!.devAddr;
  const raw = Buffer.from(devEUI, 'hex');
  assert.deepEqual(await v3.redis.smembersBuffer(`lora:ns:devaddr:${devAddr}`), [raw]);
  assert.ok((await v3.redis.ttl(`lora:ns:device:${devEUI}`)) > 2_600_000);
  const [keys] = await v3.query('as', 'select join_nonce from device_keys');
  assert.ok(Number(keys!['join_nonce']) > fixture.joinNonce);
  const nonces = await v3.query('ns', 'select dev_nonce from device_activation order by dev_nonce');
  assert.deepEqual(
    nonces.map(({ dev_nonce }) => dev_nonce),
    [fixture.usedNonce, fixture.usedNonce + 1],
  );
  const [group] = await v3.query('ns', 'select f_cnt from multicast_group');
  assert.equal(group!['f_cnt'], 6);
  assert.equal((await v3.query('ns', 'select 1 from device_queue')).length, 1);

  // Another import of version 3 finds the device in the same state.
  await using next = await createTestStorage('sqlite');
  await withStorage(next, (target) => importAll({ ...choice(), downlinkMargin: 0 }, target, quiet));
  await running(next, async (one) => {
    assert.equal(await speak(one, device), 2);
    const received = device.receive((await one.gateway.nextDownlink(8000)).phyPayload);
    assert.ok(received.kind === 'data');
    assert.equal(received.fPort, 3);
  });
});

it('writes nothing while no import is finished', needsVersion3, async () => {
  await using testStorage = await createTestStorage('sqlite');
  await withStorage(testStorage, (target) =>
    assert.rejects(
      writeBack(choice(), target, join(testStorage.dataDir, 'back')),
      /No import into this Hilltop is finished/,
    ),
  );
});
