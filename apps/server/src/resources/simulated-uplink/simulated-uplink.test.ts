import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { operations, simulatedGatewayID } from '@hilltop/contract';
import { admins, describeAccess, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createDeviceProfile } from '../../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../../testing/field.ts';
import { sampleIntegrations } from '../../testing/integrations.ts';
import { brokerSettings, connectMQTT, subscribe, urlOf } from '../../testing/mqtt.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const { simulatedUplink, device, gateway } = operations;
const decoder =
  'function Decode(fPort, bytes) { if (bytes[0] === 255) throw new Error("unreadable"); return { level: bytes[0] }; }';
const signal = { fPort: 7, dr: 5, rssi: -61, snr: 9 };

interface UpEvent {
  fCnt: number;
  fPort: number;
  data: string | null;
  objectJSON: string;
  tags: Record<string, string>;
  rxInfo: Record<string, unknown>[];
  txInfo: { frequency: number; loRaModulationInfo: { spreadingFactor: number } };
}

/** The web server of a customer. `next` resolves with the events in the order of their arrival. */
async function startReceiver() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.end();
    server.emit('event', JSON.parse(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const arrived: UpEvent[] = [];
  server.on('event', (event: UpEvent) => arrived.push(event));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: async (): Promise<UpEvent> => {
      if (arrived.length === 0) await once(server, 'event');
      return arrived.shift()!;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

for (const database of databases) {
  describe(`simulated uplinks on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(database, { ...brokerSettings, outgoingAllow: '127.0.0.1' });
      surroundings = await createSurroundings(
        app,
        { payloadCodec: 'CUSTOM_JS', payloadDecoderScript: decoder, tags: { simulated: 'no' } },
        { addGWMetaData: true },
      );
    });
    after(() => app[Symbol.asyncDispose]());

    const send = (devEUI: string, request: object) => app.call(simulatedUplink.send, { devEUI, ...signal, ...request });
    const activationOf = async (devEUI: string) => (await app.call(device.getActivation, { devEUI })).deviceActivation;

    it('reach the stream, HTTP integration and MQTT decoded, marked and with the metadata of a gateway', async () => {
      const { applicationID } = surroundings;
      await using receiver = await startReceiver();
      const integration = { ...sampleIntegrations.HTTP, applicationID, headers: [], eventEndpointURL: receiver.url };
      await app.call(operations.application.createHTTPIntegration, { integration });
      const { devEUI } = await createActivatedDevice(app, surroundings, { tags: { site: 'north' } });
      const { caCert, tlsCert, tlsKey } = await app.call(
        operations.application.generateMQTTIntegrationClientCertificate,
        { applicationID },
      );
      await using subscriber = await connectMQTT(urlOf(app, 'tls'), { ca: caCert, cert: tlsCert, key: tlsKey });
      await subscribe(subscriber.client, `application/${applicationID}/device/${devEUI}/event/up`);
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);

      const { eventID, noteJSON, codecError } = await send(devEUI, { data: 'Kg==' });
      assert.equal(JSON.parse(noteJSON).simulated, true);
      const streamed = (await events.next()).result!;
      assert.deepEqual([`${devEUI}-${streamed.streamID}`, streamed.type, codecError], [eventID, 'up', '']);
      const byHTTP = await receiver.next();
      const byMQTT = JSON.parse((await subscriber.next()).payload) as UpEvent;
      const inStream = JSON.parse(streamed.payloadJSON) as UpEvent;
      for (const up of [byHTTP, byMQTT, inStream]) {
        assert.deepEqual([up.fPort, up.data], [7, 'Kg==']);
        assert.deepEqual(up.tags, { simulated: 'true', site: 'north' });
      }
      assert.equal(inStream.objectJSON, '{"level":42}');
      assert.equal(inStream.txInfo.loRaModulationInfo.spreadingFactor, 7);
      const { time, uplinkID, timeSinceGPSEpoch, ...rest } = inStream.rxInfo[0]!;
      assert.ok(time && uplinkID && timeSinceGPSEpoch);
      assert.equal(Buffer.from(String(rest['gatewayID']), 'base64').toString('hex'), simulatedGatewayID);
      assert.deepEqual([rest['rssi'], rest['loRaSNR'], rest['crcStatus']], [-61, 9, 'CRC_OK']);

      const { result: kept } = await app.call(operations.history.list, { devEUI });
      assert.deepEqual(JSON.parse(kept[0]!.noteJSON), { bestRSSI: -61, bestSNR: 9, gatewayCount: 1, simulated: true });

      await send(devEUI, { objectJSON: '{"temperature":21.5}' });
      const decoded = JSON.parse((await events.next()).result!.payloadJSON) as UpEvent;
      assert.deepEqual([decoded.data, decoded.objectJSON], [null, '{"temperature":21.5}']);
    });

    it('change neither session nor state nor statistics, and the device goes on with its next counter', async () => {
      const { devEUI, start } = await createActivatedDevice(app, surroundings);
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using air = await simulateGateway(app, gatewayID);
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      const real = start();
      const nextEvent = async (): Promise<UpEvent> => {
        const { type, payloadJSON } = (await events.next()).result!;
        return type === 'up' ? (JSON.parse(payloadJSON) as UpEvent) : nextEvent();
      };
      await app.call(operations.deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort: 2, data: 'AQ==' } });
      const now = new Date().toISOString();
      const period = { interval: 'DAY', startTimestamp: now, endTimestamp: now };
      const stateOf = async () => ({
        activation: await activationOf(devEUI),
        device: await app.call(device.get, { devEUI }),
        stats: await app.call(device.getStats, { devEUI, ...period }),
        gateway: await app.call(gateway.getStats, { gatewayID, ...period }),
        queue: await app.call(operations.deviceQueue.list, { devEUI }),
      });
      const before = await stateOf();
      await send(devEUI, { data: 'Kg==', dr: 0 });
      assert.equal((await nextEvent()).fCnt, 0);
      assert.deepEqual(await stateOf(), before);

      for (const fCnt of [0, 1]) {
        air.receiveFrame(real.uplink({ fPort: 1, data: Uint8Array.of(fCnt) }));
        const { fCnt: received, tags } = await nextEvent();
        assert.deepEqual([received, tags], [fCnt, { simulated: 'no' }]);
        await send(devEUI, { data: 'Kg==' });
        assert.equal((await nextEvent()).fCnt, fCnt, 'the last accepted counter');
      }
    });

    it('report the error of the codec', async () => {
      const { devEUI } = await createActivatedDevice(app, surroundings);
      const { codecError, payloadJSON } = await send(devEUI, { data: '/w==' });
      assert.match(codecError, /unreadable/);
      assert.equal((JSON.parse(payloadJSON) as UpEvent).objectJSON, '');
    });

    it('are refused when the device could not send them', async () => {
      const { devEUI } = await createActivatedDevice(app, surroundings);
      const { dataRates } = await app.call(simulatedUplink.getOptions, { devEUI });
      assert.deepEqual(dataRates[0], { dr: 0, modulation: 'SF12, 125 kHz', maxBytes: 51 });
      assert.match((await refused(3, send(devEUI, { dr: 0, data: 'A'.repeat(72) }))).message, /54 bytes.*51/);
      assert.match((await refused(3, send(devEUI, { dr: 15 }))).message, /DR15.*DR0, DR1/);
      for (const wrong of [
        { fPort: 0 },
        { fPort: 224 },
        { data: '!' },
        { objectJSON: '[1]' },
        { objectJSON: '{' },
        { objectJSON: '{}', data: 'AA==' },
        { rssi: 1 },
      ])
        await refused(3, send(devEUI, wrong));
      await app.call(device.update, {
        device: { ...(await app.call(device.get, { devEUI })).device, isDisabled: true },
      });
      assert.match((await refused(9, send(devEUI, {}))).message, /disabled/);
      const silent = await createDevice(app, surroundings);
      assert.match((await refused(9, send(silent, {}))).message, /has not been activated/);
    });

    it('are limited to 60 per minute and application', async () => {
      const busy = await createSurroundings(app);
      const { devEUI } = await createActivatedDevice(app, busy);
      const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => send(devEUI, {})));
      const refusals = outcomes.filter((outcome) => outcome.status === 'rejected');
      assert.ok(refusals.length > 0 && refusals.length <= 20, String(refusals.length));
      assert.match((refusals[0]!.reason as Error).message, /Too many simulated uplinks/);
      const post = () =>
        app.fetch(`/api/devices/${devEUI}/simulated-uplinks`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${app.adminToken}` },
          body: JSON.stringify({ ...signal, data: 'Kg==' }),
        });
      // On a slow machine a second has passed, which allows another one.
      let answer = await post();
      while (answer.status === 200) answer = await post();
      assert.equal(answer.status, 429);
      assert.ok(Number(answer.headers.get('Retry-After')) > 0);
    });
  });

  const one = async ({ app, organizationID, applicationID }: Side) => {
    const deviceProfileID = await createDeviceProfile(app, { organizationID });
    const { devEUI } = await createActivatedDevice(app, {
      organizationID,
      serviceProfileID: '',
      deviceProfileID,
      applicationID,
    });
    return { devEUI };
  };
  const allowed = [...admins, 'organizationAdmin', 'deviceAdmin', 'organizationKey'] as const;
  describeAccess(database, 'simulated-uplink', [
    row(simulatedUplink.getOptions, one, allowed),
    row(simulatedUplink.send, async (side) => ({ ...(await one(side)), ...signal }), allowed),
  ]);
}
