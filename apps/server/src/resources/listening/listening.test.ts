import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createDevice as createSimulatedDevice, startGateway } from '@hilltop/simulator';
import { describeAccess, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createDeviceProfile } from '../../testing/factories.ts';
import { createDevice, createGateway, createSurroundings } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { listening, deviceQueue } = operations;
const key = '11'.repeat(16);
const devAddr = '01abcdef';

for (const database of databases) {
  describe(`listening on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    it('returns the class of a device, and the time at once for class C', async () => {
      const surroundings = await createSurroundings(app);
      const deviceProfileID = await createDeviceProfile(app, {
        organizationID: surroundings.organizationID,
        supportsClassC: true,
        classCTimeout: 60,
      });
      const devEUI = await createDevice(app, { ...surroundings, deviceProfileID });
      const now = async () => await app.call(listening.get, { devEUI });
      assert.equal((await now()).deviceClass, 'UNKNOWN');
      const keys = { appSKey: key, nwkSEncKey: key, sNwkSIntKey: key, fNwkSIntKey: key };
      await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr, ...keys } });
      assert.deepEqual(await now(), {
        deviceClass: 'CLASS_C',
        nextAt: null,
        awaitsAcknowledgement: false,
        mostBytes: 51,
        dr: 0,
      });

      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using gateway = await startGateway({ server: `127.0.0.1:${app.udpPort}`, gatewayID });
      await gateway.online();
      const session = { devAddr, keys: { nwkSKey: key, appSKey: key } };
      const device = createSimulatedDevice({ devEUI, classC: true, session, random: Math.random });
      assert.equal(await gateway.receiveFrame(device.uplink({ fPort: 1 })).acknowledged, true);
      const item = { devEUI, fPort: 10, data: '3q2+7w==', confirmed: true };
      await app.call(deviceQueue.enqueue, { deviceQueueItem: item });
      const { txpk, phyPayload } = await gateway.nextDownlink();
      assert.equal(txpk.imme ?? txpk.tmst !== undefined, true);
      const received = device.receive(phyPayload);
      assert.equal(received.kind === 'data' && received.data.toHex(), 'deadbeef');
      let forecast = await now();
      while (!forecast.awaitsAcknowledgement) forecast = await now();
      assert.ok(forecast.nextAt && new Date(forecast.nextAt).getTime() > Date.now());
    });
  });

  const one = async ({ app, organizationID, applicationID }: Side) => {
    const deviceProfileID = await createDeviceProfile(app, { organizationID });
    return {
      devEUI: await createDevice(app, { organizationID, serviceProfileID: '', deviceProfileID, applicationID }),
    };
  };
  describeAccess(database, 'listening', [row(listening.get, one, [...readers, 'applicationKey'])]);
}
