import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { describeAccess, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createDeviceProfile } from '../../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  nwkKey,
  simulateDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { deviceQueue, downlinkPayload } = operations;
const encoder = 'function Encode(fPort, obj, variables) { return [fPort, obj.on ? 1 : 0, Number(variables.extra)]; }';
const decoder =
  'function Decode(fPort, bytes) { if (bytes[0] === 255) throw new Error("unreadable"); return { bytes }; }';

async function activate(app: TestApp, devEUI: string): Promise<void> {
  const keys = { appSKey: '1'.repeat(32), nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
  await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: '01abcdef', ...keys } });
}

for (const database of databases) {
  describe(`device-queue on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      surroundings = await createSurroundings(app, {
        payloadCodec: 'CUSTOM_JS',
        payloadEncoderScript: encoder,
        payloadDecoderScript: decoder,
      });
    });
    after(() => app[Symbol.asyncDispose]());

    const queued = async (devEUI: string) =>
      (await app.call(deviceQueue.list, { devEUI })).deviceQueueItems.map(({ fCnt, fPort, data }) => [
        fCnt,
        fPort,
        data,
      ]);

    it('counts frames, encrypts, and returns what was queued', async () => {
      const devEUI = await createDevice(app, surroundings, { variables: { extra: '7' } });
      await activate(app, devEUI);
      const first = await app.call(deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort: 10, data: '3q2+7w==' } });
      const jsonObject = '{"on":true}';
      const second = await app.call(deviceQueue.enqueue, {
        deviceQueueItem: { devEUI, fPort: 20, jsonObject, data: 'AA==' },
      });
      assert.deepEqual([first.fCnt, second.fCnt], [0, 1]);
      assert.deepEqual(await queued(devEUI), [
        [0, 10, '3q2+7w=='],
        [1, 20, 'FAEH'],
      ]);
      const { totalCount, deviceQueueItems } = await app.call(deviceQueue.list, { devEUI, countOnly: true });
      assert.deepEqual([totalCount, deviceQueueItems], [2, []]);
      const { query } = app.parts.database;
      const stored = await query.selectFrom('ns_queue_item').select('body').where('dev_eui', '=', devEUI).execute();
      assert.ok(stored.every(({ body }) => !body.includes('3q2+7w')));
      await app.call(deviceQueue.flush, { devEUI });
      assert.deepEqual(await queued(devEUI), []);
    });

    it('converts a payload by the codec of the device without queueing it', async () => {
      const devEUI = await createDevice(app, surroundings, { variables: { extra: '7' } });
      const convert = (payload: object) => app.call(downlinkPayload.convert, { devEUI, fPort: 20, ...payload });
      assert.deepEqual(await convert({ jsonObject: '{"on":true}' }), { data: 'FAEH', jsonObject: '{"on":true}' });
      assert.deepEqual(await convert({ data: 'FAEH' }), { data: 'FAEH', jsonObject: '{"bytes":[20,1,7]}' });
      assert.match((await refused(3, convert({ jsonObject: '[' }))).message, /JSON/);
      assert.match((await refused(3, convert({ data: '/w==' }))).message, /unreadable/);
      assert.match((await refused(3, convert({ fPort: 0, data: 'AQ==' }))).message, /fPort/);
    });

    it('never gives two items the same frame counter', async () => {
      const devEUI = await createDevice(app, surroundings);
      await activate(app, devEUI);
      const enqueue = () => app.call(deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort: 1, data: 'AQ==' } });
      const counters = (await Promise.all(Array.from({ length: 8 }, enqueue))).map(({ fCnt }) => fCnt);
      assert.deepEqual(new Set(counters), new Set([0, 1, 2, 3, 4, 5, 6, 7]));
    });

    it('accepts a downlink after the first join-accept, and sends it after the first uplink', async () => {
      const devEUI = await createDevice(app, surroundings);
      await using gateway = await simulateGateway(app, await createGateway(app, surroundings.organizationID));
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      const accept = await gateway.nextDownlink(8000);
      assert.equal(device.receive(accept.phyPayload).kind, 'joined');
      const { fCnt } = await app.call(deviceQueue.enqueue, {
        deviceQueueItem: { devEUI, fPort: 10, data: '3q2+7w==' },
      });
      assert.deepEqual([fCnt, await queued(devEUI)], [0, [[0, 10, '3q2+7w==']]]);
      const { deviceActivation } = await app.call(operations.device.getActivation, { devEUI });
      assert.equal(deviceActivation.appSKey, device.session!.keys.appSKey.toHex());
      const { query } = app.parts.database;
      const [stored] = await query.selectFrom('ns_queue_item').select('body').where('dev_eui', '=', devEUI).execute();
      assert.ok(stored && !stored.body.includes('3q2+7w'), 'encrypted in the database');

      gateway.receiveFrame(device.uplink({ fPort: 1 }));
      const received = device.receive((await gateway.nextDownlink(8000)).phyPayload);
      assert.ok(received.kind === 'data');
      assert.deepEqual([received.fPort, received.data?.toBase64()], [10, '3q2+7w==']);
    });

    it('refuses what is not valid', async () => {
      const devEUI = await createDevice(app, surroundings);
      const enqueue = (item: object) =>
        app.call(deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort: 1, ...item } });
      const { message } = await refused(9, enqueue({ data: 'AQ==' }));
      assert.match(message, /has not been activated/);
      await activate(app, devEUI);
      await refused(3, enqueue({ fPort: 0 }));
      await refused(3, enqueue({ fPort: 225 }));
      await refused(3, enqueue({ data: '!!' }));
      await refused(3, enqueue({ jsonObject: '{' }));
      await refused(3, enqueue({ jsonObject: '{"on":true}' }));
      const plain = await createSurroundings(app);
      const other = await createDevice(app, plain);
      await activate(app, other);
      await refused(
        3,
        app.call(deviceQueue.enqueue, { deviceQueueItem: { devEUI: other, fPort: 1, jsonObject: '{}' } }),
      );
      await refused(5, app.call(deviceQueue.list, { devEUI: 'ffffffffffffff00' }));
      assert.deepEqual(await queued(devEUI), []);
    });
  });

  const one = async ({ app, organizationID, applicationID }: Side) => {
    const deviceProfileID = await createDeviceProfile(app, { organizationID });
    const devEUI = await createDevice(app, { organizationID, serviceProfileID: '', deviceProfileID, applicationID });
    await activate(app, devEUI);
    return { devEUI };
  };
  describeAccess(database, 'device-queue', [
    row(deviceQueue.list, one, [...readers, 'applicationKey']),
    row(downlinkPayload.convert, async (side) => ({ ...(await one(side)), fPort: 1, data: 'AQ==' }), [
      ...readers,
      'applicationKey',
    ]),
    row(deviceQueue.flush, one, [...readers, 'applicationKey']),
    row(deviceQueue.enqueue, async (side) => ({ deviceQueueItem: { ...(await one(side)), fPort: 1, data: 'AQ==' } }), [
      ...readers,
      'applicationKey',
    ]),
  ]);
}
