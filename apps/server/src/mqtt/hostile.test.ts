import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, before, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { seededRandom } from '@hilltop/simulator';
import { generate, type Packet } from 'mqtt-packet';
import { WebSocket } from 'ws';
import { createAPIKey } from '../testing/factories.ts';
import { createDevice, createSurroundings, type FieldContext } from '../testing/field.ts';
import { brokerSettings, connectMQTT, happen, subscribe, testBoundary, urlOf } from '../testing/mqtt.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { readPackets } from './packets.ts';

for (const protocolVersion of [4, 5] as const)
  describe(`hostile clients of MQTT ${protocolVersion === 5 ? '5' : '3.1.1'}`, () => {
    const write = (packet: Packet) => generate(packet, { protocolVersion } as never);
    let app: TestApp;
    let own: FieldContext;
    let devEUI: string;
    let key: string;
    before(async () => {
      app = await startTestApp('sqlite', brokerSettings);
      own = await createSurroundings(app);
      devEUI = await createDevice(app, own);
      key = (await createAPIKey(app, { applicationID: own.applicationID })).token;
    });
    after(() => app[Symbol.asyncDispose]());

    const open = async (): Promise<Socket> => {
      const socket = connect(app.parts.mqtt!.ports().tcp!, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const signIn = (clientId = 'hostile') =>
      write({
        cmd: 'connect',
        protocolVersion,
        clean: true,
        clientId,
        keepalive: 0,
        username: 'x',
        password: Buffer.from(key),
      });
    const signedIn = async (clientId?: string): Promise<Socket> => {
      const socket = await open();
      socket.write(signIn(clientId));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.deepEqual([answer[0], answer[3]], [0x20, 0]);
      return socket;
    };
    const closed = async (socket: Socket) => {
      socket.resume();
      if (!socket.closed) await once(socket, 'close');
    };
    /** Verifies that the broker still works. */
    const works = async () => {
      await using someone = await connectMQTT(urlOf(app), { protocolVersion, username: 'x', password: key });
      await subscribe(someone.client, '#');
      await happen(app, devEUI, 'up', { fCnt: 1 });
      await someone.next();
    };

    it('are disconnected after packets that are too long or never end', async () => {
      for (const start of [
        [0x30, 0xff, 0xff, 0xff, 0x7f],
        [0x30, 0xff, 0xff, 0xff, 0xff, 0xff],
        [0x30, 0x80, 0x80, 0x05],
      ]) {
        const socket = await signedIn();
        socket.write(Uint8Array.from(start));
        await closed(socket);
      }
      const stranger = await open();
      stranger.write(Uint8Array.of(0x10, 0xff, 0xff, 0xff, 0x7f));
      await closed(stranger);
      await works();
    });

    it('are disconnected after topics of 64 kB, wildcards in topics and unknown packets', async () => {
      const publish = (topic: string) =>
        write({ cmd: 'publish', topic, payload: '', qos: 0, dup: false, retain: false });
      for (const bytes of [
        publish('x'.repeat(65_000)),
        publish('a/'.repeat(5_000)),
        Buffer.from([0xf0, 0]),
        signIn(),
      ]) {
        const socket = await signedIn();
        socket.write(bytes);
        await closed(socket);
      }
      await works();
    });

    it('get fifty subscriptions and no more', async () => {
      await using someone = await connectMQTT(urlOf(app), { protocolVersion, username: 'x', password: key });
      const filters = Array.from(
        { length: 1_000 },
        (_, at) => `application/${own.applicationID}/device/${at.toString(16).padStart(16, '0')}/#`,
      );
      const granted = await subscribe(someone.client, filters);
      assert.equal(granted.filter((qos) => qos === 0).length, 50);
      assert.deepEqual([granted.at(0), granted.at(-1)], [0, protocolVersion === 5 ? 0x97 : 128]);
      await subscribe(someone.client, filters.slice(0, 50));
      await works();
    });

    it('delay no others when they stop reading', async () => {
      const frozen = await signedIn('frozen');
      frozen.pause();
      const filter = { topic: '#', qos: 1 as const };
      frozen.write(write({ cmd: 'subscribe', messageId: 1, subscriptions: [filter] }));
      await using other = await connectMQTT(urlOf(app), { protocolVersion, username: 'x', password: key });
      await subscribe(other.client, '#', 1);
      for (let fCnt = 0; fCnt < 300; fCnt++) {
        await happen(app, devEUI, 'up', { fCnt, objectJSON: JSON.stringify({ text: 'x'.repeat(2_000) }) });
        assert.equal(JSON.parse((await other.next()).payload).fCnt, fCnt);
      }
      frozen.destroy();
      await closed(frozen);
    });

    it('cannot try passwords without limit', async () => {
      const tries = Array.from({ length: 40 }, (_, at) =>
        connectMQTT(urlOf(app), { protocolVersion, username: 'x', password: `guess ${at}` }),
      );
      const codes = (await Promise.allSettled(tries)).map((one) =>
        one.status === 'rejected' ? one.reason.code : 'in',
      );
      assert.ok(codes.every((code) => (protocolVersion === 5 ? [0x86, 0x9f] : [5, 3]).includes(code)));
      await assert.rejects(connectMQTT(urlOf(app), { protocolVersion, username: 'x', password: 'again' }), {
        code: protocolVersion === 5 ? 0x9f : 3,
      });
      // The next tests connect from the same address.
      await app[Symbol.asyncDispose]();
      app = await startTestApp('sqlite', brokerSettings);
      own = await createSurroundings(app);
      devEUI = await createDevice(app, own);
      key = (await createAPIKey(app, { applicationID: own.applicationID })).token;
    });

    it('are disconnected whatever bytes they send', async () => {
      const random = seededRandom(20_260);
      const pick = (most: number) => Math.floor(random() * most);
      const packets = [
        signIn(),
        write({ cmd: 'subscribe', messageId: 9, subscriptions: [{ topic: 'a/#', qos: 1 }] }),
        write({
          cmd: 'publish',
          topic: `application/${own.applicationID}/device/${devEUI}/command/down`,
          payload: '{"fPort":1}',
          qos: protocolVersion === 5 ? 1 : 2,
          messageId: 3,
          dup: false,
          retain: true,
        }),
        write({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['a/#'] }),
        write({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 0 } }),
        write({ cmd: 'pubrel', messageId: 3, reasonCode: 0 }),
        write({ cmd: 'puback', messageId: 3, reasonCode: 0, properties: { userProperties: { a: ['b', 'c'] } } }),
      ];
      for (let round = 0; round < 300; round++) {
        const socket = await open();
        if (pick(4) > 0) socket.write(signIn(`fuzz ${pick(5)}`));
        for (let count = pick(6); count >= 0; count--) {
          const bytes = Buffer.from(packets[pick(packets.length)]!);
          for (let change = pick(4); change > 0; change--) bytes[pick(bytes.length)] = pick(256);
          socket.write(bytes.subarray(0, pick(5) === 0 ? pick(bytes.length) : bytes.length));
        }
        socket.resume();
        socket.end();
        await closed(socket);
      }
      await works();
    });

    it('delay no others with properties and names that take long to parse', async () => {
      const names = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`n${at}`, '']));
      const properties = protocolVersion === 5 ? { userProperties: names } : {};
      const topic = protocolVersion === 5 ? 'a' : 'x'.repeat(60_000);
      const packet = write({ cmd: 'publish', topic, payload: '', qos: 0, dup: false, retain: false, properties });
      const sockets = await Promise.all(Array.from({ length: 10 }, (_, at) => signedIn(`names ${at}`)));
      for (const socket of sockets) socket.write(Buffer.concat([write({ cmd: 'pingreq' }), packet, packet, packet]));
      await works();
      for (const socket of sockets) socket.destroy();
      await Promise.all(sockets.map(closed));
    });

    it('are disconnected before they sign in when their CONNECT is larger than 16 kB', async () => {
      const client = await open();
      const properties = { userProperties: { a: Array.from({ length: 4_000 }, () => 'b') } };
      const will = { topic: 'a', payload: Buffer.alloc(17_000), qos: 0, retain: false } as const;
      client.write(
        write({
          cmd: 'connect',
          protocolVersion,
          clean: true,
          clientId: 'large',
          keepalive: 0,
          will,
          properties,
        } as Packet),
      );
      await closed(client);
      await works();
    });

    it('with one identifier replace each other, and no other client', async () => {
      const sockets = await Promise.all(Array.from({ length: 150 }, () => open()));
      for (const socket of sockets) socket.write(signIn('one of many'));
      const isOpen = (socket: Socket) => !socket.destroyed;
      for (const socket of sockets) socket.resume();
      while (sockets.filter(isOpen).length > 1) await nextTurn();
      await works();
      for (const socket of sockets) socket.destroy();
    });

    it('that flood the port without signing in do not prevent others from connecting', async () => {
      const sockets = await Promise.all(Array.from({ length: 300 }, () => open()));
      for (const [at, socket] of sockets.entries()) {
        if (at % 3 === 0) socket.write(Uint8Array.of(0x10));
        if (at % 3 === 1) socket.write(signIn().subarray(0, 20));
      }
      await works();
      for (const socket of sockets) socket.destroy();
      await Promise.all(sockets.map(closed));
      await works();
    });

    it('delay no others with packets that cost them nothing', async () => {
      const pings = Buffer.alloc(64_000, generate({ cmd: 'pingreq' }));
      const releases = Buffer.alloc(64_000, generate({ cmd: 'pubrel', messageId: 1 }));
      const acknowledgements = Buffer.alloc(64_000, generate({ cmd: 'puback', messageId: 1 }));
      const sockets = await Promise.all(Array.from({ length: 10 }, (_, at) => signedIn(`ping ${at}`)));
      let answers = 0;
      for (const [at, socket] of sockets.entries()) {
        socket.on('data', (bytes: Buffer) => (answers += bytes.length / 2));
        socket.write([pings, releases, acknowledgements][at % 3]!);
      }
      await works();
      // Of 176,000 packets, those of the first seconds.
      assert.ok(answers < 30_000, `${answers} were answered`);
      for (const socket of sockets) socket.destroy();
      await Promise.all(sockets.map(closed));
    });

    it('connect over a websocket only from our own pages, and with MQTT', async () => {
      const url = `${app.url.replace('http', 'ws')}/mqtt`;
      await using someone = await connectMQTT(url, { protocolVersion, username: 'x', password: key });
      assert.deepEqual(await subscribe(someone.client, '#'), [0]);
      const sameSite = await connectMQTT(url, {
        protocolVersion,
        username: 'x',
        password: key,
        wsOptions: { origin: app.url },
      });
      await sameSite[Symbol.asyncDispose]();
      for (const [protocols, origin] of [
        [['mqtt'], 'https://elsewhere.example.org'],
        [[], app.url],
      ] as const) {
        const socket = new WebSocket(url, [...protocols], { origin });
        const [code] = (await once(socket, 'close')) as [number];
        assert.equal(code, 1008);
      }
      assert.equal((await app.fetch('/mqtt')).status, 426);
    });
  });

describe('packets', () => {
  it('are read however the stream splits them', async () => {
    const random = seededRandom(7);
    const packets = Array.from({ length: 500 }, (_, at) => {
      if (at % 9 === 0) return generate({ cmd: 'pingreq' });
      const payload = 'x'.repeat(Math.floor(random() * 300));
      return generate({ cmd: 'publish', topic: 't', payload, qos: 0, dup: false, retain: false });
    });
    const stream = new PassThrough();
    const received: Buffer[] = [];
    const faults: string[] = [];
    readPackets(stream, {
      mostBytes: () => 400,
      wait: () => 0,
      onPacket: (packet) => {
        received.push(packet);
        return received.length % 7 === 0 ? nextTurn() : undefined;
      },
      onTooLarge: () => faults.push('too large'),
      onMalformed: () => faults.push('malformed'),
      boundary: testBoundary(),
    });
    const sent = Buffer.concat(packets);
    for (let at = 0; at < sent.length; ) {
      const next = at + 1 + Math.floor(random() * 50);
      stream.write(sent.subarray(at, next));
      if (random() < 0.3) await nextTurn();
      at = next;
    }
    while (received.length < packets.length) await nextTurn();
    assert.deepEqual(received, packets);
    stream.write(Uint8Array.of(0x30, 0x8f, 3));
    while (faults.length === 0) await nextTurn();
    assert.deepEqual(faults, ['too large']);
  });

  it('are processed no faster than the limit, however the stream splits them', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const stream = new PassThrough();
      let begun = 0;
      let processed = 0;
      readPackets(stream, {
        mostBytes: () => 100,
        wait: () => {
          begun += 1;
          return begun % 10 === 0 ? 500 : 0;
        },
        onPacket: () => void (processed += 1),
        onTooLarge: () => assert.fail('none is too large'),
        boundary: testBoundary(),
        onMalformed: () => assert.fail('none is malformed'),
      });
      const packet = generate({ cmd: 'publish', topic: 't', payload: 'abc', qos: 0, dup: false, retain: false });
      const sent = Buffer.concat(Array.from({ length: 25 }, () => packet));
      for (const piece of [sent.subarray(0, 33), sent.subarray(33, 34), sent.subarray(34)]) stream.write(piece);
      for (const packets of [10, 20, 25]) {
        for (let turn = 0; turn < 10; turn++) await nextTurn();
        assert.equal(begun, packets);
        // If more packets follow, processing of the last one has only begun.
        assert.equal(processed, packets === 25 ? 25 : packets - 1);
        mock.timers.tick(499);
        for (let turn = 0; turn < 10; turn++) await nextTurn();
        assert.equal(begun, packets);
        mock.timers.tick(1);
      }
    } finally {
      mock.timers.reset();
    }
  });
});
