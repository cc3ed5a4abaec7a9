import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { DownlinkRetention } from '../../events/downlink-retention.ts';
import {
  idPrefix,
  insertDownlink,
  keptMs,
  removeDownlinksBeyond,
  removeOldDownlinks,
} from '../../events/downlink-rows.ts';
import { describeAccess, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createDeviceProfile } from '../../testing/factories.ts';
import {
  createActivatedDevice,
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
import { watch } from '../../testing/watch.ts';

const { deviceQueue, downlink, downlinkPayload } = operations;
const encoder = 'function Encode(fPort, obj, variables) { return [fPort, obj.on ? 1 : 0, Number(variables.extra)]; }';
const decoder =
  'function Decode(fPort, bytes) { if (bytes[0] === 255) throw new Error("unreadable"); return { bytes }; }';

const sample = {
  ...{ fPort: 1, fCnt: 0, confirmed: false, data: new Uint8Array([1]) },
  ...{ origin: 'API', by: '', reference: '', expiresAt: null },
};

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

    const create = (devEUI: string, given: object) =>
      app.call(downlink.create, { downlink: { devEUI, fPort: 1, ...given } });
    const downlinksOf = async (devEUI: string) => (await app.call(downlink.list, { devEUI })).result;
    const stepsOf = async (devEUI: string) =>
      (await downlinksOf(devEUI)).map(({ state, reason, steps }) => [
        [state, reason].filter((word) => word !== '').join(' '),
        ...steps.map(({ step }) => step),
      ]);

    it('keeps each downlink with its payload, which is encrypted in the database, and its steps', async () => {
      const devEUI = await createDevice(app, surroundings, { variables: { extra: '7' } });
      await activate(app, devEUI);
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      await app.call(deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort: 10, data: '3q2+7w==' } });
      const made = await create(devEUI, { fPort: 20, objectJSON: '{"on":true}', confirmed: true, reference: 'valve' });
      const hex = await create(devEUI, { hex: 'deadBEEF', expiresAt });
      assert.deepEqual([made.fCnt, made.fPort, made.data, hex.data], [1, 20, 'FAEH', '3q2+7w==']);
      const { result, older, isRemote } = await app.call(downlink.list, { devEUI, limit: 2 });
      assert.deepEqual(
        result.map(({ fCnt, data, confirmed, reference, expiresAt: until }) => [
          fCnt,
          data,
          confirmed,
          reference,
          until,
        ]),
        [
          [2, '3q2+7w==', false, '', expiresAt],
          [1, 'FAEH', true, 'valve', null],
        ],
      );
      assert.equal(isRemote, false);
      const [first] = (await app.call(downlink.list, { devEUI, limit: 2, before: older })).result;
      assert.deepEqual([first!.fPort, first!.origin, first!.steps[0]!.by], [10, 'API', 'admin@hilltop.local']);
      const { query } = app.parts.database;
      const rows = await query.selectFrom('downlink').select('data').where('dev_eui', '=', devEUI).execute();
      assert.ok(rows.every(({ data }) => !Buffer.from(data).includes(Buffer.from('deadbeef', 'hex'))));

      await app.call(downlink.cancel, { devEUI, id: made.id });
      assert.match((await refused(9, app.call(downlink.cancel, { devEUI, id: made.id }))).message, /it is CANCELED/);
      assert.deepEqual(await queued(devEUI), [
        [0, 10, '3q2+7w=='],
        [2, 1, '3q2+7w=='],
      ]);
      await app.call(deviceQueue.flush, { devEUI });
      assert.deepEqual(await stepsOf(devEUI), [
        ['DROPPED FLUSHED', 'QUEUED', 'FLUSHED'],
        ['CANCELED', 'QUEUED', 'CANCELED'],
        ['DROPPED FLUSHED', 'QUEUED', 'FLUSHED'],
      ]);
      const [flushed] = await downlinksOf(devEUI);
      assert.equal(flushed!.steps.at(-1)!.by, 'admin@hilltop.local');
      await refused(3, create(devEUI, { hex: 'aa', data: 'AQ==' }));
      await refused(3, create(devEUI, { hex: 'aaa' }));
      await refused(3, create(devEUI, { fPort: 0, hex: 'aa' }));
      await refused(3, create(devEUI, { fPort: 0, objectJSON: '{"on":true}' }));
      await refused(3, create(devEUI, { hex: 'aa', expiresAt: '2020-01-01T00:00:00Z' }));
      await refused(5, app.call(downlink.cancel, { devEUI, id: '0'.repeat(32) }));
    });

    it('takes the port of the codec when none is given', async () => {
      const payloadDecoderScript =
        'function decodeUplink() { return {}; } function encodeDownlink() { return { bytes: [1], fPort: 9 }; }';
      const own = await createSurroundings(app, { payloadCodec: 'CUSTOM_JS', payloadDecoderScript });
      const devEUI = await createDevice(app, own);
      await activate(app, devEUI);
      assert.equal((await create(devEUI, { fPort: 0, objectJSON: '{}' })).fPort, 9);
      assert.deepEqual(await queued(devEUI), [[0, 9, 'AQ==']]);
    });

    it('shows the steps of a downlink that a gateway refused, and that was sent after the next uplink and acknowledged', async () => {
      const { devEUI, start } = await createActivatedDevice(app, surroundings);
      const gatewayID = await createGateway(app, surroundings.organizationID);
      const txAck = (_: unknown, nth: number) => (nth <= 2 ? 'TOO_LATE' : '');
      await using gateway = await simulateGateway(app, gatewayID, { txAck });
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      const until = async (type: string) => {
        while ((await events.next()).result?.type !== type);
      };
      const device = start();
      const { id } = await create(devEUI, { hex: '01', confirmed: true });
      const uplink = device.uplink({ fPort: 1 });
      gateway.receiveFrame(uplink);
      await until('error');
      assert.deepEqual((await stepsOf(devEUI))[0], ['QUEUED TOO_LATE', 'QUEUED', 'SENDING', 'GATEWAY_REFUSED']);
      gateway.receiveFrame(device.uplink({ fPort: 1 }));
      await until('txack');
      for (let frame = await gateway.nextDownlink(8000); ; frame = await gateway.nextDownlink(8000)) {
        if (device.receive(frame.phyPayload).kind === 'data') break;
      }
      assert.match((await refused(9, app.call(downlink.cancel, { devEUI, id }))).message, /is being sent/);
      gateway.receiveFrame(device.uplink({ fPort: 1 }));
      await until('ack');
      const [late] = await downlinksOf(devEUI);
      assert.deepEqual(
        late!.steps.map(({ step, reason, fCnt, gatewayID: by, window, dr }) => [step, reason, fCnt, by, window, dr]),
        [
          ['QUEUED', '', 0, '', '', 0],
          ['SENDING', '', 0, gatewayID, 'RX1', 5],
          ['GATEWAY_REFUSED', 'TOO_LATE', 0, gatewayID, 'RX1', 5],
          ['SENDING', '', 1, gatewayID, 'RX1', 5],
          ['SENT', '', 1, gatewayID, 'RX1', 5],
          ['ACKNOWLEDGED', '', 1, '', '', 0],
        ],
      );
      assert.deepEqual([late!.state, late!.reason, late!.attempts], ['ACKNOWLEDGED', '', 2]);
      assert.equal(late!.steps[1]!.frequency, uplink.frequency);
      const { result } = await app.call(operations.history.list, { devEUI, kinds: ['downlink'] });
      const rows = result.map(({ payloadJSON }) => JSON.parse(payloadJSON) as Record<string, unknown>);
      assert.deepEqual(
        rows.map(({ step, state }) => [step, state]),
        [
          ['ACKNOWLEDGED', 'ACKNOWLEDGED'],
          ['SENT', 'SENT'],
          ['SENDING', 'SENDING'],
          ['GATEWAY_REFUSED', 'QUEUED'],
          ['SENDING', 'SENDING'],
          ['QUEUED', 'QUEUED'],
        ],
      );
      assert.equal(rows[1]!['gatewayID'], Uint8Array.fromHex(gatewayID).toBase64());
    });

    it('removes the oldest downlinks beyond 1,000 of a device, and those older than 30 days, but none that wait', async () => {
      const devEUI = await createDevice(app, surroundings);
      const now = Date.now();
      const make = (at: number) => ({ ...sample, devEUI, at, id: idPrefix(at) + randomBytes(10).toString('hex') });
      const { database, secrets } = app.parts;
      for (let nth = 0; nth < 1010; nth++) await insertDownlink(database, secrets, make(now - nth));
      await insertDownlink(database, secrets, make(now - keptMs - 1));
      assert.deepEqual(
        [await removeOldDownlinks(database, now), await removeDownlinksBeyond(database, devEUI)],
        [0, 0],
      );
      await database.query.updateTable('downlink').set({ is_open: false }).where('dev_eui', '=', devEUI).execute();
      const counted: [string, number | undefined][] = [];
      const metrics = { count: (name: string, _?: object, count?: number) => void counted.push([name, count]) };
      const steadyTime = { now: () => now };
      const retention = new DownlinkRetention({ database, steadyTime, log: app.parts.log, metrics });
      await retention.round();
      assert.deepEqual(counted, [['downlinks_removed', 1]]);
      assert.equal(await removeDownlinksBeyond(database, devEUI), 10);
      assert.equal(await removeDownlinksBeyond(database, devEUI), 0);
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
    row(downlink.list, one, [...readers, 'applicationKey']),
    row(downlink.create, async (side) => ({ downlink: { ...(await one(side)), fPort: 1, hex: '01' } }), [
      ...readers,
      'applicationKey',
    ]),
    row(
      downlink.cancel,
      async (side) => {
        const { devEUI } = await one(side);
        const { id } = await side.app.call(downlink.create, { downlink: { devEUI, fPort: 1, hex: '01' } });
        return { devEUI, id };
      },
      [...readers, 'applicationKey'],
    ),
    row(deviceQueue.flush, one, [...readers, 'applicationKey']),
    row(deviceQueue.enqueue, async (side) => ({ deviceQueueItem: { ...(await one(side)), fPort: 1, data: 'AQ==' } }), [
      ...readers,
      'applicationKey',
    ]),
  ]);
}
