import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { ApplicationServer } from '@hilltop/network-server';
import { as, create } from '@hilltop/protobuf';
import type { EventLog } from '../event-log/event-log.ts';
import { createApplicationServer } from '../network/application-server.ts';
import { databases } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { deviceContexts } from './device-context.ts';
import { enact } from './effect.ts';
import { type DeviceEvent, streamItemOf } from './event.ts';
import { readHistory } from './history.ts';
import { eventRecorder } from './recorder.ts';

const historySize = 3;
const unknown = Uint8Array.fromHex('ffffffffffffff00');
const appSKey = Uint8Array.fromHex('000102030405060708090a0b0c0d0e0f');
const devAddr = Uint8Array.fromHex('01abcdef');

for (const kind of databases) {
  describe(`messages of the network server on ${kind}`, () => {
    let app: TestApp;
    let server: ApplicationServer;
    let devEUI: string;
    let devEui: Uint8Array;
    let gatewayID: string;
    const appended: DeviceEvent[] = [];
    before(async () => {
      app = await startTestApp(kind);
      const surroundings = await createSurroundings(app);
      devEUI = await createDevice(app, surroundings, { name: 'soil-1', tags: { site: 'north' } });
      devEui = Uint8Array.fromHex(devEUI);
      gatewayID = await createGateway(app, surroundings.organizationID);
      const { eventLog } = app.parts;
      const append: EventLog['append'] = (event, link) => {
        appended.push(event as DeviceEvent);
        return eventLog.append(event, link);
      };
      const appendNext: EventLog['appendNext'] = async (event, now) => {
        const id = await eventLog.appendNext(event, now);
        if (id) appended.push({ ...event, id } as DeviceEvent);
        return id;
      };
      const recorder = eventRecorder({ ...app.parts, historySize, eventLog: { ...eventLog, append, appendNext } });
      server = createApplicationServer({ ...app.parts, recorder, devices: deviceContexts(app.parts) });
    });
    after(() => app[Symbol.asyncDispose]());

    const happen = async (effect: ReturnType<ApplicationServer['handleError']>) => {
      const made = await effect;
      await app.parts.database.commit({ run: () => enact(made).then(() => true) });
    };
    const last = async () => {
      const event = (await readHistory(app.parts.database, devEUI, historySize)).at(-1)!;
      const { publishedAt, applicationID, applicationName, ...payload } = JSON.parse(event.payloadJSON) as Record<
        string,
        unknown
      >;
      assert.ok(publishedAt && applicationID && applicationName);
      return { type: event.type, payload };
    };
    const ofDevice = () => ({ deviceName: 'soil-1', devEUI: devEui.toBase64(), tags: { site: 'north' } });

    it('log an acknowledgement', async () => {
      const request = create(as.HandleDownlinkACKRequest, { devEui, fCnt: 12, acknowledged: true });
      await happen(server.handleDownlinkACK(request));
      assert.deepEqual(await last(), { type: 'ack', payload: { ...ofDevice(), acknowledged: true, fCnt: 12 } });
    });

    it('log a transmission', async () => {
      const gatewayId = Uint8Array.fromHex(gatewayID);
      const txInfo = { frequency: 868300000, power: 14, timing: 'DELAY', delayTimingInfo: { delay: 1000 } } as const;
      await happen(server.handleTxAck(create(as.HandleTxAckRequest, { devEui, fCnt: 3, gatewayId, txInfo })));
      const { type, payload } = await last();
      assert.deepEqual([type, payload['gatewayID'], payload['fCnt']], ['txack', gatewayId.toBase64(), 3]);
      const { timing, delayTimingInfo } = payload['txInfo'] as Record<string, unknown>;
      assert.deepEqual([timing, delayTimingInfo], ['DELAY', { delay: '1s' }]);
    });

    it('log an error, and count it by its kind', async () => {
      const request = create(as.HandleErrorRequest, { devEui, type: 'DATA_UP_MIC', error: 'invalid MIC', fCnt: 9 });
      await happen(server.handleError(request));
      const payload = { ...ofDevice(), type: 'UPLINK_MIC', error: 'invalid MIC', fCnt: 9 };
      assert.deepEqual(await last(), { type: 'error', payload });
      const now = new Date().toISOString();
      const period = { interval: 'HOUR', startTimestamp: now, endTimestamp: now };
      const { result } = await app.call(operations.device.getStats, { devEUI, ...period });
      assert.deepEqual(result[0]?.errors, { DATA_UP_MIC: 1 });
    });

    it('store a battery level, and external power', async () => {
      const request = create(as.SetDeviceStatusRequest, { devEui, margin: 9, batteryLevel: 75.5905 });
      await happen(server.setDeviceStatus(request));
      const payload = {
        ...ofDevice(),
        margin: 9,
        externalPowerSource: false,
        batteryLevelUnavailable: false,
        batteryLevel: 75.59,
      };
      assert.deepEqual(await last(), { type: 'status', payload });
      const { deviceStatusBattery, deviceStatusMargin } = await app.call(operations.device.get, { devEUI });
      assert.deepEqual([deviceStatusBattery, deviceStatusMargin], [75, 9]);
      await happen(server.setDeviceStatus({ ...request, externalPowerSource: true }));
      assert.equal((await app.call(operations.device.get, { devEUI })).deviceStatusBattery, 0);
      await happen(server.setDeviceStatus({ ...request, batteryLevelUnavailable: true }));
      assert.equal((await app.call(operations.device.get, { devEUI })).deviceStatusBattery, 256);
    });

    it('store a location', async () => {
      const location = { latitude: 52.1, longitude: 5.2, source: 'GEO_RESOLVER_RSSI' } as const;
      await happen(server.setDeviceLocation(create(as.SetDeviceLocationRequest, { devEui, location })));
      assert.equal((await last()).type, 'location');
      assert.equal((await app.call(operations.device.get, { devEUI })).location?.latitude, 52.1);
      await assert.rejects(server.setDeviceLocation(create(as.SetDeviceLocationRequest, { devEui })), {
        code: 'InvalidArgument',
      });
    });

    it('store the statistics, location and metadata of a gateway', async () => {
      const request = create(as.HandleGatewayStatsRequest, {
        gatewayId: Uint8Array.fromHex(gatewayID),
        location: { latitude: 1, longitude: 2, altitude: 3, source: 'GPS' },
        rxPacketsReceived: 5,
        rxPacketsReceivedOk: 4,
        metadata: { model: 'x' },
        rxPacketsPerDr: { 5: 4 },
        txPacketsPerStatus: { TOO_LATE: 1 },
      });
      await happen(server.handleGatewayStats(request));
      const { gateway, firstSeenAt } = await app.call(operations.gateway.get, { id: gatewayID });
      assert.deepEqual([gateway.location?.source, gateway.metadata], ['GPS', { model: 'x' }]);
      await happen(server.handleGatewayStats({ ...request, location: null }));
      const after = await app.call(operations.gateway.get, { id: gatewayID });
      assert.deepEqual([after.firstSeenAt, after.gateway.location?.latitude], [firstSeenAt, 1]);
      const now = new Date().toISOString();
      const period = { interval: 'DAY', startTimestamp: now, endTimestamp: now };
      const [today] = (await app.call(operations.gateway.getStats, { gatewayID, ...period })).result;
      assert.deepEqual(
        [today?.rxPacketsReceived, today?.rxPacketsPerDr, today?.txPacketsPerStatus],
        [10, { 5: 8 }, { TOO_LATE: 2 }],
      );
    });

    it('encrypt a queue for other frame counters', async () => {
      const keys = {
        appSKey: appSKey.toHex(),
        nwkSEncKey: appSKey.toHex(),
        sNwkSIntKey: appSKey.toHex(),
        fNwkSIntKey: appSKey.toHex(),
      };
      await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: devAddr.toHex(), ...keys } });
      const encrypted = (fCnt: number) =>
        cryptFRMPayload(appSKey, { devAddr: devAddr.toHex(), fCnt, direction: 'down' }, Uint8Array.fromHex('deadbeef'));
      assert.equal(encrypted(12).toHex(), 'bc4d553e');
      const items = [5, 6].map((fCnt) => ({ fCnt, fPort: 1, frmPayload: encrypted(fCnt) }));
      const request = create(as.ReEncryptDeviceQueueItemsRequest, { devEui, devAddr, fCntStart: 12, items });
      const answer = await server.reEncryptDeviceQueueItems(request);
      assert.deepEqual(
        answer.items.map(({ fCnt, frmPayload }) => [fCnt, frmPayload.toHex()]),
        [12, 13].map((fCnt) => [fCnt, encrypted(fCnt).toHex()]),
      );
      const next = {
        devAddr: Uint8Array.of(1, 2, 3, 4),
        appSKey: { kekLabel: '', aesKey: new Uint8Array(16).fill(9) },
      };
      const moved = await server.reEncryptDeviceQueueItems(
        { ...request, devAddr: next.devAddr },
        { from: null, to: next },
      );
      const address = { devAddr: '01020304', fCnt: 12, direction: 'down' } as const;
      const clear = cryptFRMPayload(next.appSKey.aesKey, address, moved.items[0]!.frmPayload);
      assert.equal(clear.toHex(), 'deadbeef');
      const other = server.reEncryptDeviceQueueItems({ ...request, devAddr: new Uint8Array(4) });
      await assert.rejects(other, { code: 'FailedPrecondition' });
    });

    it('are refused for unknown devices and gateways', async () => {
      await assert.rejects(server.handleUplinkData(create(as.HandleUplinkDataRequest, { devEui: unknown })), {
        code: 'Internal',
      });
      await assert.rejects(server.handleError(create(as.HandleErrorRequest, { devEui: unknown })), {
        code: 'Internal',
      });
      await assert.rejects(server.setDeviceStatus(create(as.SetDeviceStatusRequest, { devEui: unknown })), {
        code: 'NotFound',
      });
      const stats = create(as.HandleGatewayStatsRequest, { gatewayId: unknown });
      await assert.rejects(server.handleGatewayStats(stats), { code: 'NotFound' });
    });

    it('keep the last events in order, and publish nothing of a rolled back transaction', async () => {
      const published: DeviceEvent[] = [];
      const stop = await app.parts.bus.subscribe('device-event', devEUI, (event) => published.push(event));
      const receiveFrame = async (fCnt: number) =>
        server.handleDownlinkACK(create(as.HandleDownlinkACKRequest, { devEui, fCnt, acknowledged: true }));
      const before = appended.length;
      const undone = await receiveFrame(9);
      const refused = app.parts.database.commit({ run: () => enact(undone).then(() => false) });
      assert.equal(await refused, false);
      for (const fCnt of [1, 2, 3, 4]) await happen(receiveFrame(fCnt));
      const stored = await readHistory(app.parts.database, devEUI, historySize);
      const history = stored.filter(({ type }) => type !== 'error');
      const counters = history.map(({ payloadJSON }) => (JSON.parse(payloadJSON) as { fCnt: number }).fCnt);
      assert.deepEqual(counters, [2, 3, 4]);
      assert.deepEqual(published.slice(1).map(streamItemOf), history);
      // The log and the subscribers get the same event object, whose JSON is built once.
      assert.deepEqual(
        appended.slice(-4).map(({ id }) => id),
        published.map(({ id }) => id),
      );
      for (const [index, event] of published.entries()) assert.equal(event.json, appended.slice(-4)[index]!.json);
      assert.equal(published[0]!.id, `${devEUI}-${streamItemOf(published[0]!).streamID}`);
      assert.ok(appended.length >= before + 4);
      const ids = history.map(({ streamID }) => Number(streamID.split('-')[1]));
      assert.deepEqual(ids, [ids[0], ids[0]! + 1, ids[0]! + 2]);
      stop();
    });
  });
}
