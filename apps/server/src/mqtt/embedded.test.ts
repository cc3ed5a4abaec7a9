import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTCP } from 'node:net';
import { after, before, describe, it, mock } from 'node:test';
import { operations } from '@hilltop/contract';
import { connect } from 'mqtt';
import { generate } from 'mqtt-packet';
import { systemClock } from '../clock.ts';
import { databases } from '../testing/databases.ts';
import { createAPIKey, createApplication } from '../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  nwkKey,
  simulateDevice,
  simulateGateway,
} from '../testing/field.ts';
import { sampleIntegrations } from '../testing/integrations.ts';
import { brokerSettings, connectMQTT, happen, reportStats, subscribe, urlOf } from '../testing/mqtt.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const { application, device, deviceQueue, mqtt } = operations;
const encoder = 'function Encode(fPort, obj) { if (obj.bad) throw new Error("no valve"); return [obj.on ? 1 : 0]; }';

const versions = [
  { version: '3.1.1', protocolVersion: 4, refused: 5 },
  { version: '5', protocolVersion: 5, refused: 0x86 },
] as const;
/** Runs, stands still while `work` runs, and can be put forward. */
function stoppableClock() {
  let stoppedAt: number | undefined;
  let aheadMs = 0;
  const monotonicMs = () => systemClock.monotonicMs() + aheadMs;
  return {
    ...systemClock,
    now: () => new Date(Date.now() + aheadMs),
    monotonicMs: () => stoppedAt ?? monotonicMs(),
    putForward: (ms: number) => (aheadMs += ms),
    whileStopped: async <T>(work: () => Promise<T>): Promise<T> => {
      stoppedAt = monotonicMs();
      try {
        return await work();
      } finally {
        stoppedAt = undefined;
      }
    },
  };
}

const runs = databases.flatMap((database) => versions.map((version) => ({ database, ...version })));

for (const { database, version, protocolVersion, refused } of runs) {
  describe(`the embedded broker in MQTT ${version} on ${database}`, () => {
    const clock = stoppableClock();
    let app: TestApp;
    let own: FieldContext;
    let devEUI: string;
    let key: string;
    before(async () => {
      app = await startTestApp(database, { ...brokerSettings, outgoingAllow: '127.0.0.1' }, { clock });
      own = await createSurroundings(app, { payloadCodec: 'CUSTOM_JS', payloadEncoderScript: encoder });
      devEUI = await createDevice(app, own);
      key = (await createAPIKey(app, { applicationID: own.applicationID })).token;
      const keys = { appSKey: '1'.repeat(32), nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
      await app.call(device.activate, { deviceActivation: { devEUI, devAddr: '01abcdef', ...keys } });
    });
    after(() => app[Symbol.asyncDispose]());

    const withKey = (password: string, options = {}) =>
      connectMQTT(urlOf(app), { protocolVersion, username: 'any', password, ...options });
    const certificate = async (applicationID = own.applicationID) => {
      const made = await app.call(application.generateMQTTIntegrationClientCertificate, { applicationID });
      return { ca: made.caCert, cert: made.tlsCert, key: made.tlsKey };
    };
    const command = (eui = devEUI, applicationID = own.applicationID) =>
      `application/${applicationID}/device/${eui}/command/down`;
    const queued = async () => (await app.call(deviceQueue.list, { devEUI })).deviceQueueItems.map(({ data }) => data);
    const refusedWith = async (code: number, connecting: Promise<AsyncDisposable>) => {
      await assert.rejects(connecting, (error: { code?: number }) => error.code === code);
    };

    it('sends events of the application to clients with its key, with both qualities of service', async () => {
      await using plain = await withKey(key);
      await using sure = await withKey(key);
      const filter = `application/${own.applicationID}/device/+/event/+`;
      assert.deepEqual(await subscribe(plain.client, filter), [0]);
      assert.deepEqual(await subscribe(sure.client, filter, 2), [1]);
      for (let fCnt = 0; fCnt < 3; fCnt++) await happen(app, devEUI, 'up', { fCnt });
      for (const [who, qos] of [[plain, 0] as const, [sure, 1] as const])
        for (let fCnt = 0; fCnt < 3; fCnt++) {
          const message = await who.next();
          assert.equal(message.topic, `application/${own.applicationID}/device/${devEUI}/event/up`);
          assert.deepEqual([JSON.parse(message.payload).fCnt, message.qos], [fCnt, qos]);
        }
    });

    it('sends statistics of gateways while somebody has subscribed to them, and writes none otherwise', async () => {
      const { organizationID } = own;
      const gatewayID = await createGateway(app, organizationID);
      const { token } = await createAPIKey(app, { organizationID });
      const written = async () => {
        const rows = app.parts.database.query.selectFrom('event').select('payload').where('dev_eui', '=', gatewayID);
        return (await rows.execute()).map(
          ({ payload }) => (JSON.parse(payload) as { rxPacketsReceived: number }).rxPacketsReceived,
        );
      };
      await reportStats(app, gatewayID, 1);
      {
        await using other = await withKey(token);
        await subscribe(other.client, `organization/${organizationID}/gateway/+/event/offline`);
        await reportStats(app, gatewayID, 2);
        assert.deepEqual(await written(), []);
        await using program = await withKey(token);
        await subscribe(program.client, `organization/${organizationID}/gateway/${gatewayID}/event/+`, 1);
        await reportStats(app, gatewayID, 3);
        await reportStats(app, gatewayID, 4);
        for (const count of [3, 4]) {
          const { topic, payload, qos } = await program.next();
          assert.equal(topic, `organization/${organizationID}/gateway/${gatewayID}/event/stats`);
          assert.equal(qos, 1);
          const { gatewayID: id, rxPacketsReceived, publishedAt } = JSON.parse(payload) as Record<string, unknown>;
          assert.deepEqual([id, rxPacketsReceived, typeof publishedAt], [gatewayID, count, 'string']);
        }
        program.client.unsubscribe(`organization/${organizationID}/gateway/${gatewayID}/event/+`);
        await program.client.publishAsync(command(), '{"fPort":1,"data":"AQ=="}', { qos: 1 });
        await reportStats(app, gatewayID, 5);
      }
      assert.deepEqual(await written(), [3, 4]);
      assert.deepEqual(await queued(), ['AQ==']);
      await app.call(deviceQueue.flush, { devEUI });
    });

    for (const [dialect, payloadDecoderScript, payloadEncoderScript] of [
      ['ChirpStack 3', 'function Decode(p, b) { return { n: b[0] }; }', 'function Encode(p, o) { return [o.n]; }'],
      [
        'ChirpStack 4',
        `const decodeUplink = ({ bytes }) => ({ data: { n: bytes[0] } });
         module.exports = { encodeDownlink: ({ data }) => ({ bytes: Buffer.from([data.n]), fPort: 99 }) };`,
        '',
      ],
    ] as const)
      it(`carries values of uplinks and commands through a codec in the dialect of ${dialect}`, async () => {
        const scripts = { payloadDecoderScript, payloadEncoderScript };
        const field = await createSurroundings(app, { payloadCodec: 'CUSTOM_JS', ...scripts });
        const { applicationID, organizationID } = field;
        const eui = await createDevice(app, field);
        const posted = Promise.withResolvers<string>();
        await using hook = createServer(async (request, response) => {
          let body = '';
          for await (const chunk of request) body += String(chunk);
          response.end();
          if (request.url?.includes('event=up')) posted.resolve(body);
        }).listen(0, '127.0.0.1');
        await once(hook, 'listening');
        const eventEndpointURL = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
        const integration = { ...sampleIntegrations.HTTP, applicationID, eventEndpointURL };
        await app.call(application.createHTTPIntegration, { integration });
        await using program = await withKey((await createAPIKey(app, { applicationID })).token);
        await subscribe(program.client, `application/${applicationID}/device/${eui}/event/up`);
        await using gateway = await simulateGateway(app, await createGateway(app, organizationID));
        const sensor = simulateDevice(eui);
        gateway.receiveFrame(sensor.joinRequest());
        sensor.receive((await gateway.nextDownlink(8000)).phyPayload);
        gateway.receiveFrame(sensor.uplink({ fPort: 1, data: Uint8Array.of(7) }));
        const [published, sent] = [(await program.next()).payload, await posted.promise].map(
          (text) => JSON.parse(text) as { object?: unknown; objectJSON?: string },
        );
        assert.deepEqual([published?.object, sent?.objectJSON], [{ n: 7 }, '{"n":7}']);

        await program.client.publishAsync(command(eui, applicationID), '{"fPort":5,"object":{"n":9}}', { qos: 1 });
        gateway.receiveFrame(sensor.uplink({ fPort: 1, data: Uint8Array.of(8) }));
        let received = sensor.receive((await gateway.nextDownlink(8000)).phyPayload);
        while (received.kind === 'data' && !received.data?.length)
          received = sensor.receive((await gateway.nextDownlink(8000)).phyPayload);
        assert.ok(received.kind === 'data');
        assert.deepEqual([received.fPort, [...(received.data ?? [])]], [5, [9]]);
      });

    it('accepts certificates of its authority until they are revoked', async () => {
      const files = await certificate();
      await using someone = await connectMQTT(urlOf(app, 'tls'), { protocolVersion, ...files });
      await subscribe(someone.client, '#', 1);
      await happen(app, devEUI, 'status', { margin: 9 });
      assert.match((await someone.next()).topic, /\/event\/status$/);

      const { applicationID } = own;
      const { result: clients } = await app.call(mqtt.listClients, { applicationID });
      // The server may still list clients of other tests, since it notices closed connections later.
      const overTLS = clients.find(({ transport }) => transport === 'TLS')!;
      assert.deepEqual([overTLS.subscriptions, overTLS.delivered], [['#'], 1]);
      const { result } = await app.call(mqtt.listCertificates, { applicationID, limit: 1 });
      assert.equal(overTLS.signedInBy, result[0]!.serial);
      await app.call(mqtt.revokeCertificate, { applicationID, serial: result[0]!.serial });
      await someone.closed;
      await refusedWith(version === '5' ? 0x87 : 5, connectMQTT(urlOf(app, 'tls'), { protocolVersion, ...files }));
    });

    it('refuses clients without valid credentials', async () => {
      await refusedWith(refused, withKey(''));
      await refusedWith(refused, withKey('nonsense'));
      await refusedWith(refused, withKey(app.adminToken));
      await refusedWith(refused, connectMQTT(urlOf(app, 'tls'), { protocolVersion, rejectUnauthorized: false }));
    });

    it('checks the rights of clients again after a storage outage', async () => {
      const away = mock.method(app.parts.principals, 'ofToken', async () => {
        throw new Error('The storage is away.');
      });
      const client = connect(urlOf(app), { username: 'any', password: key, reconnectPeriod: 10, protocolVersion });
      client.on('error', () => undefined);
      try {
        for (const _ of [1, 2]) await new Promise<void>((resolve) => client.once('close', () => resolve()));
        away.mock.restore();
        await new Promise<void>((resolve) => client.once('connect', () => resolve()));
      } finally {
        await client.endAsync(true);
      }
    });

    it('disconnects clients that lose their key, or that a user disconnects', async () => {
      const doomed = await createAPIKey(app, { applicationID: own.applicationID });
      await using first = await withKey(doomed.token);
      await app.call(operations.internal.deleteAPIKey, { id: doomed.id });
      await first.closed;
      await using second = await withKey(key, { clientId: 'second' });
      const { result } = await app.call(mqtt.listClients, { applicationID: own.applicationID });
      const { id } = result.find(({ clientID }) => clientID === 'second')!;
      await app.call(mqtt.disconnectClient, { applicationID: own.applicationID, id });
      await second.closed;
    });

    it('disconnects clients whose key has ended within ten seconds, although no instance has said so', async () => {
      const doomed = await createAPIKey(app, { applicationID: own.applicationID });
      await using client = await withKey(doomed.token);
      await using other = await withKey(key);
      await app.parts.database.query.deleteFrom('api_key').where('id', '=', doomed.id).execute();
      clock.putForward(10_001);
      await client.closed;
      await subscribe(other.client, `application/${own.applicationID}/device/+/event/+`);
    });

    it('disconnects the programs of an application that is deleted', async () => {
      const applicationID = await createApplication(app);
      await using someone = await connectMQTT(urlOf(app, 'tls'), await certificate(applicationID));
      await app.call(application.delete, { id: applicationID });
      await someone.closed;
    });

    it('replaces a client only by one of the same owner', async () => {
      const other = await createAPIKey(app, { applicationID: await createApplication(app) });
      await using ownClient = await withKey(key, { clientId: 'same' });
      await using otherClient = await withKey(other.token, { clientId: 'same' });
      await subscribe(ownClient.client, '#');
      await using again = await withKey(key, { clientId: 'same' });
      await ownClient.closed;
      await subscribe(again.client, '#');
      await subscribe(otherClient.client, '#');
    });

    it('enqueues commands before it acknowledges them, each once', async () => {
      await using someone = await withKey(key);
      const publish = (payload: object | string, qos: 0 | 1 | 2 = 1, topic = command()) =>
        someone.client.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { qos });
      await publish({ fPort: 10, data: 'AQID' });
      assert.deepEqual(await queued(), ['AQID']);
      await publish({ fPort: 10, object: { on: true }, data: 'AAAA' }, version === '5' ? 1 : 2);
      // The same command counts once within 100 ms.
      await clock.whileStopped(() =>
        Promise.all([publish({ fPort: 11, data: 'BQ==' }), publish({ fPort: 11, data: 'BQ==' })]),
      );
      assert.deepEqual(await queued(), ['AQID', 'AQ==', 'BQ==']);
      /** Only MQTT 5 has a reason code in PUBACK. */
      const refused = (code: number, publishing: Promise<unknown>) =>
        version === '5' ? assert.rejects(publishing, { code }) : publishing;
      for (const wrong of ['', '{', '[]', '{"fPort":0,"data":"AQ=="}', '{"fPort":225}', '{"fPort":1,"data":"!"}'])
        await refused(0x99, publish(wrong));
      await refused(0x99, publish({ fPort: 1, data: 'AQ==', applicationID: 7 }));
      await refused(0x99, publish({ fPort: 1, data: 'AQ==', padding: 'x'.repeat(4096) }));
      await refused(0x87, publish({ fPort: 1, data: 'AQ==' }, 1, command('ffffffffffffffff')));
      assert.equal((await queued()).length, 3);
    });

    it('records an error event for an object that the codec cannot encode', async () => {
      await using someone = await withKey(key);
      await subscribe(someone.client, `application/${own.applicationID}/device/+/event/error`);
      const publishing = someone.client.publishAsync(command(), '{"fPort":1,"object":{"bad":true}}', { qos: 1 });
      if (version === '5') await assert.rejects(publishing, { code: 0x83 });
      else await publishing;
      const { payload } = await someone.next();
      assert.match(payload, /"type":"DOWNLINK_CODEC"/);
      assert.match(payload, /no valve/);
    });

    it('ignores a resent command that it has enqueued', async () => {
      await app.call(deviceQueue.flush, { devEUI });
      const socket = connectTCP(app.parts.mqtt!.ports().tcp!, '127.0.0.1');
      socket.write(
        generate({
          cmd: 'connect',
          protocolVersion,
          clean: true,
          clientId: 'r',
          keepalive: 0,
          username: 'k',
          password: Buffer.from(key),
        }),
      );
      await once(socket, 'data');
      const packet = {
        cmd: 'publish',
        topic: command(),
        payload: '{"fPort":3,"data":"CQ=="}',
        qos: 1,
        messageId: 7,
        retain: false,
      } as const;
      for (const dup of [false, true]) {
        socket.write(generate({ ...packet, dup }, { protocolVersion }));
        const [answer] = (await once(socket, 'data')) as [Buffer];
        assert.deepEqual([...answer], [0x40, 2, 0, 7]);
      }
      assert.deepEqual(await queued(), ['CQ==']);
      socket.destroy();
    });

    it('neither publishes the last will of a program nor enqueues it as a command', async () => {
      await app.call(deviceQueue.flush, { devEUI });
      const will = {
        topic: command(),
        payload: Buffer.from('{"fPort":1,"data":"/w=="}'),
        qos: 1,
        retain: true,
      } as const;
      await using witness = await withKey(key);
      await subscribe(witness.client, '#');
      await using cut = await withKey(key, { will, clientId: 'cut' });
      cut.client.stream.destroy();
      const clients = () => app.call(operations.mqtt.listClients, { applicationID: own.applicationID });
      while ((await clients()).result.some(({ clientID }) => clientID === 'cut')) await new Promise(setImmediate);
      await witness.client.publishAsync(command(), '{"fPort":1,"data":"AQ=="}', { qos: 1 });
      assert.deepEqual(await queued(), ['AQ==']);
      // The first message of the observer is an event, not the will.
      await happen(app, devEUI, 'status', { margin: 1 });
      assert.match((await witness.next()).topic, /\/event\/status$/);
    });

    it('closes the connection of a client that publishes to another topic', async () => {
      const foreign = await createApplication(app);
      for (const topic of [
        `application/${own.applicationID}/device/${devEUI}/event/up`,
        `application/${own.applicationID}/device/${devEUI}/command/up`,
        command(devEUI, foreign),
        'anything',
        '$SYS/x',
      ]) {
        await using someone = await withKey(key);
        someone.client.publish(topic, '{"fPort":1,"data":"AQ=="}');
        await someone.closed;
      }
    });
  });
}
