import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTCP, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { startBridge } from '@hilltop/simulator';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';
import { createAPIKey } from '../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext, nwkKey } from '../testing/field.ts';
import { brokerSettings, connectMQTT, happen, subscribe, urlOf } from '../testing/mqtt.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

type Answer = Packet & Record<string, unknown> & { properties?: Record<string, unknown> };

/** A client of version 5 that sends exactly the packets of the test. */
interface RawClient {
  socket: Socket;
  send: (packet: Packet | Buffer) => void;
  /** The next packet; undefined when the connection closes instead. */
  next: () => Promise<Answer | undefined>;
}

const version5 = { protocolVersion: 5 } as const;

describe('MQTT 5', () => {
  let app: TestApp;
  let own: FieldContext;
  let devEUI: string;
  let key: string;
  before(async () => {
    app = await startTestApp('sqlite', brokerSettings);
    own = await createSurroundings(app);
    devEUI = await createDevice(app, own);
    key = (await createAPIKey(app, { applicationID: own.applicationID })).token;
    const keys = { appSKey: '1'.repeat(32), nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
    await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: '01abcdef', ...keys } });
  });
  after(() => app[Symbol.asyncDispose]());

  const command = () => `application/${own.applicationID}/device/${devEUI}/command/down`;
  const downlink = '{"fPort":10,"data":"AQID"}';
  const publishOf = (messageId: number, more: Record<string, unknown> = {}) =>
    ({
      cmd: 'publish',
      topic: command(),
      payload: downlink,
      qos: 1,
      messageId,
      dup: false,
      retain: false,
      ...more,
    }) as Packet;

  async function open(): Promise<RawClient> {
    const socket = connectTCP(app.parts.mqtt!.ports().tcp!, '127.0.0.1');
    socket.on('error', () => undefined);
    const received: Answer[] = [];
    const reading = parser(version5);
    reading.on('packet' as 'error', ((packet: Answer) => received.push(packet)) as never);
    let isClosed = false;
    socket.on('data', (bytes: Buffer) => void reading.parse(bytes));
    socket.on('close', () => {
      isClosed = true;
    });
    await once(socket, 'connect');
    return {
      socket,
      send: (packet) => void socket.write(Buffer.isBuffer(packet) ? packet : generate(packet, version5 as never)),
      next: async () => {
        while (received.length === 0 && !isClosed) await nextTurn();
        return received.shift();
      },
    };
  }

  const connectOf = (more: Partial<IConnectPacket> = {}): Packet => ({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 5,
    clean: true,
    clientId: 'raw',
    keepalive: 0,
    username: 'x',
    password: Buffer.from(key),
    ...more,
  });

  async function signedIn(more: Partial<IConnectPacket> = {}): Promise<RawClient> {
    const client = await open();
    client.send(connectOf({ clientId: `raw-${Math.random()}`, ...more }));
    assert.equal((await client.next())?.['reasonCode'], 0);
    return client;
  }

  const refusedWith = async (more: Partial<IConnectPacket>) => {
    const client = await open();
    client.send(connectOf(more));
    const answer = await client.next();
    assert.equal(answer?.cmd, 'connack');
    assert.equal(await client.next(), undefined);
    return answer?.['reasonCode'];
  };
  /** The reason with which the server ends the connection. */
  const endOf = async ({ next }: RawClient) => {
    for (let packet = await next(); packet; packet = await next())
      if (packet.cmd === 'disconnect') return packet['reasonCode'];
    return undefined;
  };

  it('announces unsupported features in its CONNACK', async () => {
    const client = await open();
    client.send(connectOf({ clientId: '', keepalive: 3_600, properties: { sessionExpiryInterval: 3_600 } }));
    const { sessionPresent, reasonCode, properties } = (await client.next())!;
    assert.deepEqual([sessionPresent, reasonCode], [false, 0]);
    const { assignedClientIdentifier, ...rest } = properties!;
    assert.match(assignedClientIdentifier as string, /^hilltop-/);
    assert.deepEqual(rest, {
      sessionExpiryInterval: 0,
      receiveMaximum: 64,
      maximumQoS: 1,
      retainAvailable: false,
      maximumPacketSize: 65_536,
      serverKeepAlive: 1_200,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
    });
    client.socket.destroy();
  });

  it('refuses connections with the reason', async () => {
    assert.equal(await refusedWith({ password: Buffer.from('wrong') }), 0x86);
    assert.equal(await refusedWith({ username: '', password: Buffer.alloc(0) }), 0x86);
    assert.equal(await refusedWith({ clientId: 'x'.repeat(257) }), 0x85);
    assert.equal(await refusedWith({ properties: { authenticationMethod: 'SCRAM' } }), 0x8c);
    assert.equal(await refusedWith({ properties: { receiveMaximum: 0 } }), 0x82);
    assert.equal(await refusedWith({ will: { topic: 'a', payload: 'b', qos: 2, retain: false } }), 0x9b);
  });

  it('ends connections that violate the protocol with the reason', async () => {
    const rest = { dup: false, retain: false, payload: '' };
    const subscriptions = [{ topic: '#', qos: 0 as const }];
    for (const [packet, reason] of [
      [{ cmd: 'publish', topic: '', qos: 0, properties: { topicAlias: 1 }, ...rest }, 0x94],
      [{ cmd: 'publish', topic: '', qos: 0, ...rest }, 0x90],
      [Buffer.from('30050001230078', 'hex'), 0x90],
      [publishOf(1, { qos: 2 }), 0x9b],
      [Buffer.from('320500016100000078', 'hex').subarray(0, 7), 0x81],
      [{ cmd: 'subscribe', messageId: 1, subscriptions, properties: { subscriptionIdentifier: 5 } }, 0xa1],
      [Buffer.from('8203000100', 'hex'), 0x81],
      [Buffer.from('820700010000016103', 'hex'), 0x81],
      [Buffer.from('820700010000012340', 'hex'), 0x81],
      [Buffer.from('a003000100', 'hex'), 0x81],
      [{ cmd: 'auth', reasonCode: 0x18, properties: { authenticationMethod: 'x' } }, 0x82],
      [connectOf(), 0x82],
      [{ cmd: 'connack', reasonCode: 0, sessionPresent: false }, 0x82],
      // An unknown property, one that ends too early, and one that is longer than the packet.
      [Buffer.from('30050001610199', 'hex'), 0x81],
      [Buffer.from('3006000161020201', 'hex'), 0x81],
      [Buffer.from('300400016170', 'hex'), 0x81],
      [Buffer.from('30ffffffff7f', 'hex'), 0x81],
      [Buffer.from('30808005', 'hex'), 0x95],
    ] as [Packet | Buffer, number][]) {
      const client = await signedIn();
      client.send(packet);
      assert.equal(await endOf(client), reason, JSON.stringify(packet));
    }
  });

  it('does not answer a client that does not begin with a CONNECT', async () => {
    for (const packet of [publishOf(1), Buffer.from('100c00044d5154540502003c', 'hex'), Buffer.from('c000', 'hex')]) {
      const client = await open();
      client.send(packet);
      client.socket.end();
      assert.equal(await client.next(), undefined);
    }
  });

  it('ends a connection that exceeds the receive maximum, and accepts exactly that many', async () => {
    await app.call(operations.deviceQueue.flush, { devEUI });
    const client = await signedIn();
    const messages = (count: number) =>
      Buffer.concat(
        Array.from({ length: count }, (_, at) =>
          generate(publishOf(at + 1, { payload: `{"fPort":1,"data":"AQ==","n":${at}}` }), version5 as never),
        ),
      );
    client.send(messages(64));
    for (let at = 1; at <= 64; at++) assert.deepEqual((await client.next())?.messageId, at);
    const greedy = await signedIn();
    greedy.send(messages(65));
    assert.equal(await endOf(greedy), 0x93);
    client.socket.destroy();
    await app.call(operations.deviceQueue.flush, { devEUI });
  });

  it('answers a message that may not be published, and continues', async () => {
    const client = await signedIn();
    client.send(publishOf(7, { topic: 'elsewhere' }));
    const { cmd, messageId, reasonCode } = (await client.next())!;
    assert.deepEqual([cmd, messageId, reasonCode], ['puback', 7, 0x87]);
    client.send(publishOf(8));
    assert.deepEqual([(await client.next())!.messageId], [8]);
    // Without an acknowledgement, the server can only end the connection.
    client.send(publishOf(0, { topic: 'elsewhere', qos: 0 }));
    assert.equal(await endOf(client), 0x87);
  });

  it('tells in PUBACK why a command has no effect, and continues', async () => {
    await app.call(operations.deviceQueue.flush, { devEUI });
    const client = await signedIn();
    const { applicationID } = own;
    const ofForeignDevice = `application/${applicationID}/device/ffffffffffffffff/command/down`;
    const cases: [Record<string, unknown>, number][] = [
      [{ payload: 'no JSON' }, 0x99],
      [{ payload: '{"fPort":0,"data":"AQ=="}' }, 0x99],
      [{ payload: '{"fPort":300,"data":"AQ=="}' }, 0x99],
      [{ payload: `{"fPort":1,"data":"${'A'.repeat(8_000)}"}` }, 0x99],
      [{ payload: '{"fPort":1,"data":"AQ=="}', topic: ofForeignDevice }, 0x87],
      [{ payload: '{"fPort":1,"object":{"no":"codec"}}' }, 0x83],
    ];
    for (const [index, [message, expected]] of cases.entries()) {
      // When resent at once, it gets the same answer.
      for (const messageID of [2 * index + 1, 2 * index + 2]) {
        client.send(publishOf(messageID, message));
        const { cmd, messageId, reasonCode } = (await client.next())!;
        assert.deepEqual([cmd, messageId, reasonCode], ['puback', messageID, expected], String(message['payload']));
      }
    }
    const { deviceQueueItems } = await app.call(operations.deviceQueue.list, { devEUI });
    assert.equal(deviceQueueItems.length, 0);
    client.send(publishOf(100, { payload: '{"fPort":12,"data":"AQ=="}' }));
    assert.equal((await client.next())!['reasonCode'], 0);
    client.socket.destroy();
    await app.call(operations.deviceQueue.flush, { devEUI });
  });

  it('answers each filter with a code', async () => {
    const client = await signedIn();
    const topics = ['#', 'x', 'a#', '$share/group/#', '#', `application/${own.applicationID}/#`];
    const options = { qos: 2, nl: true, rap: true, rh: 2 } as const;
    const subscriptions = topics.map((topic) => ({ topic, ...options }));
    client.send({ cmd: 'subscribe', messageId: 3, subscriptions, properties: { userProperties: { a: ['b', 'c'] } } });
    const granted = await client.next();
    assert.deepEqual([granted?.messageId, granted?.['granted']], [3, [1, 0x87, 0x8f, 0x9e, 1, 1]]);
    client.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['#', '#', 'x'] });
    const removed = await client.next();
    assert.deepEqual([removed?.messageId, removed?.['granted']], [4, [0, 0x11, 0x11]]);
    client.send({ cmd: 'pingreq' });
    assert.equal((await client.next())?.cmd, 'pingresp');
    client.socket.destroy();
  });

  it('sends no more messages and no larger packets than the client accepts', async () => {
    const client = await signedIn({ properties: { receiveMaximum: 2, maximumPacketSize: 1_000 } });
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] });
    assert.deepEqual((await client.next())?.['granted'], [1]);
    const large = { objectJSON: JSON.stringify({ text: 'x'.repeat(2_000) }) };
    await happen(app, devEUI, 'up', { fCnt: 0, ...large });
    for (const fCnt of [1, 2, 3]) await happen(app, devEUI, 'status', { margin: fCnt });
    const first = await client.next();
    const second = await client.next();
    assert.deepEqual(
      [first, second].map((one) => JSON.parse(String(one?.['payload'])).margin),
      [1, 2],
    );
    client.send({ cmd: 'pingreq' });
    assert.equal((await client.next())?.cmd, 'pingresp');
    client.send({ cmd: 'puback', messageId: first?.messageId ?? 0, reasonCode: 0 });
    assert.equal(JSON.parse(String((await client.next())?.['payload'])).margin, 3);
    client.socket.destroy();
  });

  it('accepts messages with properties', async () => {
    await app.call(operations.deviceQueue.flush, { devEUI });
    const client = await signedIn();
    const properties = {
      payloadFormatIndicator: true,
      messageExpiryInterval: 60,
      contentType: 'application/json',
      responseTopic: 'answer',
      correlationData: Buffer.from('1'),
      userProperties: { __proto__: 'x', a: ['b', 'c'] },
    };
    client.send(publishOf(1, { payload: '{"fPort":11,"data":"AQID"}', retain: true, properties }));
    assert.deepEqual([(await client.next())?.cmd], ['puback']);
    const { deviceQueueItems } = await app.call(operations.deviceQueue.list, { devEUI });
    assert.deepEqual(
      deviceQueueItems.map(({ data }) => data),
      ['AQID'],
    );
    client.socket.destroy();
  });

  it('tells a client why it was disconnected: it connected again, or was silent', async () => {
    const first = await signedIn({ clientId: 'same' });
    const second = await signedIn({ clientId: 'same', keepalive: 1 });
    assert.equal(await endOf(first), 0x8e);
    assert.equal(await endOf(second), 0x8d);
  });

  it('tells clients that a user disconnected them, and that their key was deleted', async () => {
    const { id, token } = await createAPIKey(app, { applicationID: own.applicationID });
    const client = await signedIn({ clientId: 'doomed' });
    const { result } = await app.call(operations.mqtt.listClients, { applicationID: own.applicationID });
    const { id: clientID } = result.find((one) => one.clientID === 'doomed')!;
    await app.call(operations.mqtt.disconnectClient, { applicationID: own.applicationID, id: clientID });
    assert.equal(await endOf(client), 0x98);
    const other = await signedIn({ password: Buffer.from(token) });
    await app.call(operations.internal.deleteAPIKey, { id });
    assert.equal(await endOf(other), 0x87);
  });

  it('processes messages that were sent before a DISCONNECT', async () => {
    await app.call(operations.deviceQueue.flush, { devEUI });
    const client = await signedIn();
    const last = generate({ cmd: 'disconnect', reasonCode: 4 }, version5 as never);
    client.send(
      Buffer.concat([
        generate(publishOf(0, { payload: '{"fPort":12,"data":"AQID"}', qos: 0 }), version5 as never),
        last,
      ]),
    );
    assert.equal(await client.next(), undefined);
    let items: unknown[] = [];
    while (items.length === 0) ({ deviceQueueItems: items } = await app.call(operations.deviceQueue.list, { devEUI }));
  });

  for (const transport of ['TCP', 'TLS', 'websocket'] as const)
    it(`is spoken by ${transport}`, async () => {
      const made = await app.call(operations.application.generateMQTTIntegrationClientCertificate, {
        applicationID: own.applicationID,
      });
      const options = { ...version5, properties: { sessionExpiryInterval: 60, userProperties: { a: 'b' } } };
      const urls = { TCP: urlOf(app), TLS: urlOf(app, 'tls'), websocket: `${app.url.replace('http', 'ws')}/mqtt` };
      const proof =
        transport === 'TLS'
          ? { ca: made.caCert, cert: made.tlsCert, key: made.tlsKey }
          : { username: 'x', password: key };
      await using client = await connectMQTT(urls[transport], { ...options, ...proof });
      assert.deepEqual(await subscribe(client.client, '#', 1), [1]);
      await happen(app, devEUI, 'up', { fCnt: 5 });
      const { payload, qos } = await client.next();
      assert.deepEqual([JSON.parse(payload).fCnt, qos], [5, 1]);
      await client.client.publishAsync(command(), downlink, { qos: 1 });
    });

  it('is the version of current packet forwarders', async () => {
    const gatewayID = await createGateway(app, own.organizationID);
    const { token } = await createAPIKey(app, { organizationID: own.organizationID });
    const online = Buffer.concat([Uint8Array.of(0x10, 1, 0x1a, 16), Buffer.from(gatewayID)]);
    const state = `eu868/gateway/${gatewayID}/state/conn`;
    const forwarder = await open();
    forwarder.send(
      connectOf({
        clientId: gatewayID,
        username: gatewayID,
        password: Buffer.from(token),
        keepalive: 30,
        properties: { sessionExpiryInterval: 0, receiveMaximum: 100, topicAliasMaximum: 10 },
        will: { topic: state, payload: Buffer.from('0a0100', 'hex'), qos: 1, retain: true, properties: {} },
      }),
    );
    const answer = await forwarder.next();
    assert.deepEqual([answer?.['reasonCode'], answer?.properties?.['maximumPacketSize']], [0, 262_144]);
    const topic = `eu868/gateway/${gatewayID}/command/+`;
    forwarder.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic, qos: 1, nl: false, rap: false, rh: 0 }],
    });
    assert.deepEqual((await forwarder.next())?.['granted'], [1]);
    forwarder.send(publishOf(2, { topic: state, payload: online, retain: true }));
    assert.deepEqual((await forwarder.next())?.messageId, 2);
    const seen = async () => (await app.call(operations.gateway.get, { id: gatewayID })).lastSeenAt;
    while (!(await seen())) await delay(20);
    forwarder.send(publishOf(3, { topic: `eu868/gateway/${gatewayID}/event/up`, payload: Buffer.from([1, 2, 3]) }));
    assert.deepEqual((await forwarder.next())?.messageId, 3);
    forwarder.socket.destroy();
  });

  it('transmits a join and its answer', async () => {
    const gatewayID = await createGateway(app, own.organizationID);
    const { token: password } = await createAPIKey(app, { organizationID: own.organizationID });
    const format = { version: 4, encoding: 'protobuf' } as const;
    const connection = { ...version5, username: gatewayID, password };
    const bridge = { server: urlOf(app), gatewayID, connection, format, prefix: 'eu868', statIntervalMs: 0 };
    await using simulated = startBridge(bridge);
    await simulated.online();
    assert.equal(await simulated.sendStat(), true);
  });

  it('tells clients that the server stops', async () => {
    await using other = await startTestApp('sqlite', brokerSettings);
    const { applicationID } = await createSurroundings(other);
    const { token } = await createAPIKey(other, { applicationID });
    const { client, closed } = await connectMQTT(urlOf(other), { ...version5, username: 'x', password: token });
    const disconnected = new Promise<{ reasonCode?: number }>((resolve) => client.once('disconnect', resolve));
    await other.parts.mqtt!.stop();
    assert.equal((await disconnected).reasonCode, 0x8b);
    await closed;
  });
});
