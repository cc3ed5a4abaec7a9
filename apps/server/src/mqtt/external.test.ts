import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { it } from 'node:test';
import { operations } from '@hilltop/contract';
import { connectAsync } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import type { Cluster } from '../cluster/cluster.ts';
import { databases } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings, nwkKey } from '../testing/field.ts';
import { needsMosquitto, startMosquitto } from '../testing/mosquitto.ts';
import { reportStats } from '../testing/mqtt.ts';
import { noInstances, startInstances, startTestApp, type TestApp } from '../testing/test-app.ts';
import { createExternalBroker } from './external.ts';

/** A broker that sends what the test wants to the session of commands, and records the answers. */
async function startBroker() {
  let commands: Socket | undefined;
  const acknowledged: number[] = [];
  const sessions: string[] = [];
  const receiveFrame = (socket: Socket, packet: Packet) => {
    if (packet.cmd === 'connect') {
      if (packet.clientId.endsWith('-commands')) commands = socket;
      sessions.push(packet.clientId);
      socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: true }));
    }
    if (packet.cmd === 'subscribe')
      socket.write(
        generate({ cmd: 'suback', messageId: packet.messageId!, granted: packet.subscriptions.map(() => 1) }),
      );
    if (packet.cmd === 'puback') acknowledged.push(packet.messageId!);
  };
  const server = createServer((socket) => {
    const read = parser();
    read.on('packet', (packet) => receiveFrame(socket, packet));
    socket.on('data', (bytes) => void read.parse(bytes as Buffer)).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    acknowledged,
    /** In the order of connection. */
    sessions,
    isThere: () => commands?.readyState === 'open',
    say: (packet: { topic: string; payload: string; messageId: number; dup: boolean }) =>
      commands!.write(generate({ cmd: 'publish', qos: 1, retain: false, ...packet })),
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

for (const database of databases) {
  it(`a command at an external broker is queued once, whichever process receives it, on ${database}`, async () => {
    await using broker = await startBroker();
    await using app = await startTestApp(database);
    const { applicationID, ...own } = await createSurroundings(app);
    const devEUI = await createDevice(app, { applicationID, ...own });
    const keys = { appSKey: '1'.repeat(32), nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
    await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: '01abcdef', ...keys } });
    const topic = `application/${applicationID}/device/${devEUI}/command/down`;
    const queued = async () =>
      (await app.call(operations.deviceQueue.list, { devEUI })).deviceQueueItems.map(({ data }) => data);

    /** Runs one process until it ends, and answers what it acknowledged. */
    const live = async (...said: [messageId: number, data: string, dup: boolean][]) => {
      const config = { ...app.parts.config, mqttURL: broker.url };
      const parts = { marshal: () => undefined, bridge: undefined } as never;
      const process = await createExternalBroker({ ...app.parts, config, ...(parts as object) } as never);
      await process.start();
      while (!broker.isThere()) await pause();
      for (const [messageId, data, dup] of said) {
        broker.acknowledged.length = 0;
        broker.say({ topic, payload: JSON.stringify({ fPort: 10, data }), messageId, dup });
        while (broker.acknowledged.length === 0) await pause();
        assert.deepEqual(broker.acknowledged, [messageId]);
      }
      await process.stop();
      while (broker.isThere()) await pause();
    };
    await live([7, 'AQ==', false]);
    await live([7, 'AQ==', true]);
    assert.deepEqual(await queued(), ['AQ=='], 'it came again');
    await live([8, 'AQ==', true], [7, 'Ag==', true]);
    assert.deepEqual(await queued(), ['AQ==', 'AQ==', 'Ag=='], 'others of the same content or number');
    await live([7, 'Ag==', false]);
    assert.equal((await queued()).length, 4, 'a new one under a number that was used');
  });
}

it('several instances have their own sessions, and the one with the lease also that of commands', async () => {
  await using broker = await startBroker();
  await using app = await startTestApp('sqlite');
  const { parts: needs } = app;
  const instance = (id: string, lease: Cluster['lease']) => {
    const parts = { marshal: () => undefined, bridge: undefined };
    const config = { ...needs.config, mqttURL: broker.url };
    const cluster: Cluster = { ...needs.cluster, isAlone: false, id, lease };
    return createExternalBroker({ ...needs, ...parts, config, cluster } as never);
  };
  const one = await instance('one', needs.cluster.lease);
  const other = await instance('other', () => () => Promise.resolve());
  await one.start();
  await other.start();
  while (broker.sessions.length < 3) await pause();
  const parts = broker.sessions.map((id) => id.split('-').slice(2).join(' '));
  assert.deepEqual(parts.sort(), ['commands', 'events one', 'events other']);
  await one.stop();
  await other.stop();
});

it('an external broker gets the events of gateways', needsMosquitto, async () => {
  await using mosquitto = await startMosquitto();
  await using app = await startTestApp('sqlite', { mqttURL: mosquitto.url });
  const { organizationID } = await createSurroundings(app);
  const gatewayID = await createGateway(app, organizationID);
  await using stack = new AsyncDisposableStack();
  const program = await connectAsync(mosquitto.url);
  stack.defer(() => program.endAsync(true));
  await program.subscribeAsync(`organization/${organizationID}/gateway/+/event/+`, { qos: 1 });
  const messages: [topic: string, gatewayID: string][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  program.on('message', (topic, payload) => {
    const { gatewayID: id } = JSON.parse(payload.toString()) as { gatewayID: string };
    if (messages.push([topic, id]) === 3) resolve();
  });
  const { database, gatewayEvents } = app.parts;
  const at = new Date();
  for (const state of ['ONLINE', 'OFFLINE'] as const)
    await database.transaction(() => gatewayEvents.recordTransition({ gatewayID, state, at, reason: '' }));
  // Written only because the broker receives the statistics of all gateways.
  await reportStats(app, gatewayID, 1);
  await promise;
  assert.deepEqual(
    messages,
    ['online', 'offline', 'stats'].map((type) => [
      `organization/${organizationID}/gateway/${gatewayID}/event/${type}`,
      gatewayID,
    ]),
  );
});

it('several instances share an external broker', { skip: noInstances || needsMosquitto.skip }, async () => {
  await using mosquitto = await startMosquitto();
  await using instances = await startInstances(2, { mqttURL: mosquitto.url });
  const { apps } = instances;
  const [one] = apps as [TestApp];
  const { applicationID, ...own } = await createSurroundings(one);
  const devEUI = await createDevice(one, { applicationID, ...own });
  const keys = { appSKey: '1'.repeat(32), nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
  await one.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: '01abcdef', ...keys } });
  const topic = `application/${applicationID}/device/${devEUI}/command/down`;
  await using stack = new AsyncDisposableStack();
  const program = await connectAsync(mosquitto.url);
  stack.defer(() => program.endAsync(true));
  const say = (data: string) => program.publishAsync(topic, JSON.stringify({ fPort: 10, data }), { qos: 1 });
  const queuedAt = async (app: TestApp) =>
    (await app.call(operations.deviceQueue.list, { devEUI })).deviceQueueItems.map(({ data }) => data);
  const until = async (app: TestApp, last: string) => {
    for (;;) {
      const queued = await queuedAt(app);
      if (queued.at(-1) === last) return queued;
      await pause();
    }
  };
  while (!apps.every(({ parts }) => parts.cluster.live().length === 2)) await pause();
  // The broker drops it until an instance has subscribed.
  const received: string[] = [];
  while ((await queuedAt(one)).length === 0) {
    received.push(Buffer.of(received.length).toString('base64'));
    await say(received.at(-1)!);
  }
  const arrived = await until(one, received.at(-1)!);
  assert.deepEqual(arrived, received.slice(-arrived.length), 'each once');

  const holder = one.parts.cluster.holderOf('mqtt-broker');
  const [listening, other] = holder === one.parts.cluster.id ? apps : apps.toReversed();
  await listening![Symbol.asyncDispose]();
  // The broker stores it until the other instance connects.
  await say('/w==');
  assert.deepEqual(await until(other!, '/w=='), [...arrived, '/w==']);
});
