import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EventNote, operations } from '@hilltop/contract';
import type { ServerParts } from '../compose.ts';
import { databases } from '../testing/databases.ts';
import { networkServerID } from '../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  simulateDevice,
  simulateGateway,
} from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

const decoder = 'function Decode(fPort, bytes, variables) { return { moisture: bytes[1] / 10, at: variables.place }; }';

/** The codecs of the server with their real time limit; other tests use a longer one. */
const usualCodecs = { codecs: undefined } as unknown as Partial<ServerParts>;

for (const kind of databases) {
  describe(`from a gateway to the event stream on ${kind}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(kind);
      surroundings = await createSurroundings(app, {
        payloadCodec: 'CUSTOM_JS',
        payloadDecoderScript: decoder,
        tags: { kind: 'soil', site: 'profile' },
      });
    });
    after(() => app[Symbol.asyncDispose]());

    const newGateway = async () => simulateGateway(app, await createGateway(app, surroundings.organizationID));
    const eventsOf = (devEUI: string) => watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);

    it('a device joins and sends, and its decoded value appears in the event stream', async () => {
      const devEUI = await createDevice(app, surroundings, { variables: { place: 'bed' }, tags: { site: 'north' } });
      await using gateway = await newGateway();
      await using events = await eventsOf(devEUI);
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      const accept = await gateway.nextDownlink(8000);
      assert.equal(device.receive(accept.phyPayload).kind, 'joined');

      const push = gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(0, 225), confirmed: true }));
      assert.equal(await push.acknowledged, true);
      const join = await events.next();
      const up = await events.next();
      assert.deepEqual([join.result?.type, up.result?.type], ['join', 'up']);
      const payload = JSON.parse(up.result!.payloadJSON) as Record<string, unknown>;
      assert.equal(payload['objectJSON'], '{"moisture":22.5,"at":"bed"}');
      assert.equal(payload['data'], 'AOE=');
      assert.equal(payload['devEUI'], Uint8Array.fromHex(devEUI).toBase64());
      assert.equal(payload['confirmedUplink'], true);
      assert.equal(payload['fCnt'], 0);
      assert.deepEqual(payload['tags'], { kind: 'soil', site: 'north' });
      const { deviceProfileID } = surroundings;
      const listed = await app.call(operations.profileUplink.list, { deviceProfileID, limit: 50 });
      const { deviceName, publishedAt } = payload as { deviceName: string; publishedAt: string };
      const shown = { fCnt: 0, fPort: 10, data: 'AOE=', objectJSON: '{"moisture":22.5,"at":"bed"}' };
      assert.deepEqual(listed.result, [{ devEUI, deviceName, publishedAt, ...shown }]);
      assert.equal(payload['devAddr'], Uint8Array.fromHex(device.session!.devAddr).toBase64());
      const joined = JSON.parse(join.result!.payloadJSON) as Record<string, unknown>;
      assert.deepEqual(joined['tags'], { site: 'north' });
      assert.equal(joined['devAddr'], payload['devAddr']);

      const { device: stored, ...status } = await app.call(operations.device.get, { devEUI });
      assert.equal(stored.devEUI, devEUI);
      assert.notEqual(status.lastSeenAt, null);
      const { deviceActivation } = await app.call(operations.device.getActivation, { devEUI });
      assert.equal(deviceActivation.devAddr, device.session!.devAddr);
      assert.equal(deviceActivation.appSKey, device.session!.keys.appSKey.toHex());

      const now = new Date().toISOString();
      const period = { interval: 'DAY', startTimestamp: now, endTimestamp: now };
      const { result } = await app.call(operations.device.getStats, { devEUI, ...period });
      assert.equal(result[0]?.rxPackets, 1);
      assert.equal(Object.keys(result[0]!.rxPacketsPerFrequency).length, 1);

      await using again = await eventsOf(devEUI);
      assert.deepEqual(await again.next(), join);
      assert.deepEqual(await again.next(), up);
    });

    it('a join is reported with the join-accept where the settings want that, and not again', async () => {
      const { settings } = await app.call(operations.radio.get, { networkServerID });
      const set = (joinEventAtJoinAccept: boolean) =>
        app.call(operations.radio.update, { networkServerID, settings: { ...settings, joinEventAtJoinAccept } });
      await set(true);
      const devEUI = await createDevice(app, surroundings);
      await using gateway = await newGateway();
      await using events = await eventsOf(devEUI);
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      const join = await events.next();
      const payload = JSON.parse(join.result!.payloadJSON) as { devAddr: string; rxInfo: object[] };
      device.receive((await gateway.nextDownlink(8000)).phyPayload);
      await set(false);
      gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(0, 1) }));
      assert.deepEqual([join.result?.type, (await events.next()).result?.type], ['join', 'up']);
      assert.equal(payload.devAddr, Uint8Array.fromHex(device.session!.devAddr).toBase64());
      assert.equal(payload.rxInfo.length, 1);
      assert.equal(await joinsOf(devEUI), 1);
    });

    async function joinsOf(devEUI: string): Promise<number> {
      const { statistics, clock } = app.parts;
      await statistics.fold();
      const now = clock.now().getTime();
      const hours = await statistics.read(`device:${devEUI}`, 'HOUR', now - 3_600_000, now);
      return hours.reduce((sum, { counters }) => sum + (counters['join_count'] ?? 0), 0);
    }

    it('a queued downlink reaches the device, and its acknowledgement comes back', async () => {
      const devEUI = await createDevice(app, surroundings);
      await using gateway = await newGateway();
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      device.receive((await gateway.nextDownlink(8000)).phyPayload);
      await using events = await eventsOf(devEUI);
      gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(0, 1) }));
      assert.equal((await events.next()).result?.type, 'join');
      assert.equal((await events.next()).result?.type, 'up');
      assert.equal(await joinsOf(devEUI), 1);

      const item = { devEUI, fPort: 20, confirmed: true, data: 'AQID' };
      const { fCnt } = await app.call(operations.deviceQueue.enqueue, { deviceQueueItem: item });
      const { deviceQueueItems } = await app.call(operations.deviceQueue.list, { devEUI });
      assert.deepEqual(deviceQueueItems, [{ ...item, fCnt, jsonObject: '' }]);

      gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(0, 2) }));
      // The first uplink may have been answered with MAC commands alone.
      let received = device.receive((await gateway.nextDownlink(8000)).phyPayload);
      while (received.kind === 'data' && received.fPort === null)
        received = device.receive((await gateway.nextDownlink(8000)).phyPayload);
      assert.ok(received.kind === 'data');
      assert.deepEqual([received.fPort, received.confirmed, [...received.data]], [20, true, [1, 2, 3]]);
      gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(0, 3) }));
      const types = new Set<string | undefined>();
      while (types.size < 3) types.add((await events.next()).result?.type);
      assert.deepEqual(types, new Set(['txack', 'ack', 'up']));
    });

    it('a failing script causes an error event, and the uplink is still logged', async () => {
      const broken = await createSurroundings(app, {
        payloadCodec: 'CUSTOM_JS',
        payloadDecoderScript: 'function Decode() { throw new Error("no"); }',
      });
      const devEUI = await createDevice(app, broken);
      await using gateway = await newGateway();
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      device.receive((await gateway.nextDownlink(8000)).phyPayload);
      await using events = await eventsOf(devEUI);
      gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(1) }));
      await events.next();
      const error = JSON.parse((await events.next()).result!.payloadJSON) as { type: string; error: string };
      assert.deepEqual([error.type, error.error], ['UPLINK_CODEC', 'Error: no (line 1)']);
      const up = JSON.parse((await events.next()).result!.payloadJSON) as { objectJSON: string; data: string };
      assert.deepEqual([up.objectJSON, up.data], ['', 'AQ==']);
    });

    it('a codec of the other dialect adds its warnings and quantities to the note of the event', async () => {
      const vendors = await createSurroundings(app, {
        payloadCodec: 'CUSTOM_JS',
        payloadDecoderScript: `
          function decodeUplink({ bytes }) { return { data: { t: bytes[0] / 2 }, warnings: ['low'] }; }
          function normalizeUplink({ data }) { return { data: { air: { temperature: data.t } } }; }`,
      });
      const devEUI = await createDevice(app, vendors);
      await using gateway = await newGateway();
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      device.receive((await gateway.nextDownlink(8000)).phyPayload);
      await using events = await eventsOf(devEUI);
      gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(43) }));
      await events.next();
      const up = JSON.parse((await events.next()).result!.payloadJSON) as { objectJSON: string };
      assert.equal(up.objectJSON, '{"t":21.5}');
      const { result } = await app.call(operations.history.list, { devEUI, kinds: ['up'] });
      const { warnings, quantities } = JSON.parse(result[0]!.noteJSON) as EventNote;
      assert.deepEqual([warnings, quantities], [['low'], { t: { quantity: 'temperature', unit: '°C' } }]);
    });

    it('a script that repeatedly exceeds its time limit is paused, with one error event', async () => {
      await using app = await startTestApp(kind, {}, usualCodecs);
      const endless = await createSurroundings(app, {
        payloadCodec: 'CUSTOM_JS',
        payloadDecoderScript: 'function Decode() { for (;;); }',
      });
      const devEUI = await createDevice(app, endless);
      await using gateway = await simulateGateway(app, await createGateway(app, endless.organizationID));
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      device.receive((await gateway.nextDownlink(8000)).phyPayload);
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      const errors: string[] = [];
      for (let uplinks = 0; uplinks < 5; ) {
        gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(1) }));
        for (let isUp = false; !isUp; ) {
          const { type, payloadJSON } = (await events.next()).result!;
          if (type === 'error') errors.push((JSON.parse(payloadJSON) as { error: string }).error);
          isUp = type === 'up';
        }
        uplinks += 1;
      }
      assert.equal(errors.length, 3);
      assert.match(errors[2]!, /the script is paused for 30 s/);
      assert.equal(await app.parts.metrics.total('codec_pauses'), 1);
      assert.equal(await app.parts.metrics.total('codec_calls_paused'), 2);
    });

    it('frames appear in the frame logs of gateway and device', async () => {
      const devEUI = await createDevice(app, surroundings);
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      await using frames = await watch(app.url, `/api/devices/${devEUI}/frames`, app.adminToken);
      await using arrived = await watch(app.url, `/api/gateways/${gatewayID}/frames`, app.adminToken);
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      await gateway.nextDownlink(8000);
      const first = (await frames.next()).result!;
      const frame = JSON.parse(first.uplinkFrame!.phyPayloadJSON) as { macPayload: { devEUI: string } };
      assert.equal(frame.macPayload.devEUI, devEUI);
      assert.equal(first.uplinkFrame!.rxInfo[0]?.gatewayID, Uint8Array.fromHex(gatewayID).toBase64());
      assert.equal((await frames.next()).result?.downlinkFrame?.gatewayID, gatewayID);
      assert.ok((await arrived.next()).result);
    });

    it('the gateway has its last seen time and counters', async () => {
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      assert.equal(await gateway.sendStat(), true);
      const { lastSeenAt, firstSeenAt } = await app.call(operations.gateway.get, { id: gatewayID });
      assert.ok(lastSeenAt !== null && firstSeenAt !== null);
      const now = new Date().toISOString();
      const period = { interval: 'DAY', startTimestamp: now, endTimestamp: now };
      const { result } = await app.call(operations.gateway.getStats, { gatewayID, ...period });
      assert.equal(result.length, 1);
    });
  });
}
