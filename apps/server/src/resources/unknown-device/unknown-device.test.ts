import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { operations } from '@hilltop/contract';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createOrganization } from '../../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createSurroundings,
  simulateDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { unknownDevice } = operations;
const devEUI = '0102030405060708';
const page = { limit: 10 };

for (const database of databases) {
  describe(`unknown devices on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    let gatewayID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app, { maxDeviceCount: 0 });
      gatewayID = await createGateway(app, organizationID);
    });
    after(() => app[Symbol.asyncDispose]());

    const listed = async (id = organizationID, search = '') => {
      await app.parts.unknownDevices.save();
      return await app.call(unknownDevice.list, { organizationID: id, ...page, search });
    };
    const join = async (eui: string, through = gatewayID) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const { unknownDevices } = app.parts;
      const note = unknownDevices.note.bind(unknownDevices);
      const mocked = mock.method(unknownDevices, 'note', (...received: Parameters<typeof note>) => {
        note(...received);
        resolve();
      });
      await using gateway = await simulateGateway(app, through);
      gateway.receiveFrame(simulateDevice(eui).joinRequest(), { rssi: -97, snr: 5 });
      await promise;
      mocked.mock.restore();
    };

    it('are listed for organizations whose gateways received them', async () => {
      await join(devEUI);
      await join(devEUI);
      const { result, totalCount, others, isEnabled } = await listed();
      assert.deepEqual([totalCount, others, isEnabled], ['1', '0', true]);
      const [one] = result;
      assert.deepEqual([one?.devEUI, one?.joinEUI, one?.times, one?.region], [devEUI, '70b3d57ed0000001', 2, 'EU868']);
      assert.deepEqual(one?.gateways, [{ gatewayID, name: `gateway-${gatewayID}`, rssi: -97, snr: 5 }]);
      assert.ok(one && Date.parse(one.lastAt!) >= Date.parse(one.firstAt!));
      assert.equal((await listed(organizationID, '70B3D5')).totalCount, '1');
      assert.equal((await listed(organizationID, 'ffff')).totalCount, '0');
      assert.equal((await listed(await createOrganization(app))).totalCount, '0');
    });

    it('leave the list when they are hidden, for one organization', async () => {
      const other = await createOrganization(app);
      const otherGateway = await createGateway(app, other);
      await join('0102030405060709');
      await join('0102030405060709', otherGateway);
      await app.call(unknownDevice.hide, { organizationID, devEUI: '0102030405060709' });
      assert.deepEqual(
        (await listed()).result.map((one) => one.devEUI),
        [devEUI],
      );
      assert.equal((await listed(other)).totalCount, '1');
    });

    it('leave the list when they are registered', async () => {
      const eui = '010203040506070a';
      await join(eui);
      assert.equal((await listed(organizationID, eui)).totalCount, '1');
      await createDevice(app, await createSurroundings(app), { devEUI: eui });
      assert.equal((await listed(organizationID, eui)).totalCount, '0');
    });

    it('are added up over instances, and stay within a limit that spares those received often', async () => {
      const { unknownDeviceRows: rows, clock } = app.parts;
      const at = clock.now().getTime();
      const received = (eui: string, times: number) => ({
        ...{ devEUI: eui, joinEUI: eui, devNonce: 1, networkServerID: 1, region: 'EU868' },
        ...{ firstAt: at, lastAt: at, times, gateways: [{ gatewayID, rssi: -90, snr: 3 }] },
      });
      const often = received('aa00000000000000', 3);
      await rows.add({ received: [often], leftOut: new Map([[gatewayID, 4]]), at });
      await rows.add({ received: [often], leftOut: new Map([[gatewayID, 5]]), at });
      for (let round = 0; round < 3; round += 1) {
        const made = Array.from({ length: 1_000 }, (_, index) =>
          received(`bb${String(round * 1_000 + index).padStart(14, '0')}`, 1),
        );
        await rows.add({ received: made.map((one) => ({ ...one, lastAt: at + 1 + round })), leftOut: new Map(), at });
      }
      const { totalCount, others } = await listed();
      assert.ok(Number(totalCount) <= 2_000);
      assert.equal(others, '9');
      const [one] = (await listed(organizationID, 'aa00')).result;
      assert.equal(one?.times, 6);
    });

    it('are removed seven days after their last join-request', async () => {
      const { unknownDeviceRows: rows, clock } = app.parts;
      const at = clock.now().getTime() - 7 * 86_400_000 - 1;
      const old = { devEUI: 'cc00000000000000', joinEUI: '', devNonce: 1, networkServerID: 1, region: 'EU868' };
      const gateways = [{ gatewayID, rssi: -90, snr: 3 }];
      await rows.add({ received: [{ ...old, firstAt: at, lastAt: at, times: 5, gateways }], leftOut: new Map(), at });
      assert.equal((await listed(organizationID, 'cc00')).totalCount, '0');
      const stored = app.parts.database.query.selectFrom('unknown_device').select('dev_eui');
      assert.deepEqual(await stored.where('dev_eui', '=', old.devEUI).execute(), []);
    });
  });

  const anyAdmins = [...admins, 'organizationAdmin', 'deviceAdmin', 'gatewayAdmin', 'organizationKey'] as const;
  describeAccess(database, 'unknown devices', [
    row(unknownDevice.list, ({ organizationID }) => ({ organizationID }), anyAdmins),
    row(unknownDevice.hide, ({ organizationID }) => ({ organizationID, devEUI }), anyAdmins),
  ]);
}
