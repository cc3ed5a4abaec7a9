import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { databases } from '../../testing/databases.ts';
import { createGatewayProfile, networkServerID } from '../../testing/factories.ts';
import { createDevice, createSurroundings, type FieldContext } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { gateway, internal } = operations;

for (const database of databases) {
  describe(`counting and finding devices and gateways on ${database}`, () => {
    let app: TestApp;
    let hourly: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      hourly = await createSurroundings(app, { uplinkInterval: '3600s' });
    });
    after(() => app[Symbol.asyncDispose]());

    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const received = async (devEUI: string, minutes: number, dr: number) =>
      app.parts.database.query
        .updateTable('device')
        .set({ last_seen_at: minutesAgo(minutes), dr })
        .where('dev_eui', '=', devEUI)
        .execute();
    const addGateway = async (id: string, minutes: number | null, change: object = {}) => {
      const location = { latitude: 0, longitude: 0, altitude: 0 };
      await app.call(gateway.create, {
        gateway: {
          id,
          name: `gateway-${id}`,
          organizationID: hourly.organizationID,
          networkServerID,
          location,
          ...change,
        },
      });
      const seen = minutes === null ? null : minutesAgo(minutes);
      await app.parts.database.query.updateTable('gateway').set({ last_seen_at: seen }).where('id', '=', id).execute();
    };

    it('counts devices by their last uplink, against their own interval', async () => {
      await received(await createDevice(app, hourly), 89, 5);
      await received(await createDevice(app, hourly), 91, 5);
      await received(await createDevice(app, hourly), 0, 2);
      await createDevice(app, hourly);
      const never = await createSurroundings(app, { uplinkInterval: '0s' });
      await received(await createDevice(app, never), 1, 0);
      const { organizationID } = hourly;
      assert.deepEqual(await app.call(internal.getDevicesSummary, { organizationID }), {
        activeCount: 2,
        inactiveCount: 1,
        neverSeenCount: 1,
        drCount: { 2: 1, 5: 2 },
      });
      assert.deepEqual(await app.call(internal.getDevicesSummary, {}), {
        activeCount: 2,
        inactiveCount: 2,
        neverSeenCount: 1,
        drCount: { 0: 1, 2: 1, 5: 2 },
      });
    });

    it('counts gateways by the interval of their profile, or half a minute', async () => {
      const gatewayProfileID = await createGatewayProfile(app, { statsInterval: '600s' });
      await addGateway('0000000000000001', 14, { gatewayProfileID });
      await addGateway('0000000000000002', 16, { gatewayProfileID });
      await addGateway('0000000000000003', 0);
      await addGateway('0000000000000004', 1);
      await addGateway('0000000000000005', null, { name: 'quiet', tags: { roof: 'north', 'it"s': "odd'" } });
      const { organizationID } = hourly;
      assert.deepEqual(await app.call(internal.getGatewaysSummary, { organizationID }), {
        activeCount: 2,
        inactiveCount: 2,
        neverSeenCount: 1,
      });
    });

    it('finds them by name, identifier, address and tags', async () => {
      const devEUI = await createDevice(app, hourly, { name: 'barn-door', tags: { animal: 'cow', floor: '2' } });
      await app.parts.database.query
        .updateTable('device')
        .set({ dev_addr: '26fe01ab' })
        .where('dev_eui', '=', devEUI)
        .execute();
      const find = async (search: string) => {
        const { result } = await app.call(internal.globalSearch, { search, limit: 10 });
        return result.map((one) => one.deviceName || one.gatewayName);
      };
      assert.deepEqual(await find('BARN'), ['barn-door']);
      assert.deepEqual(await find(devEUI.slice(2).toUpperCase()), ['barn-door']);
      assert.deepEqual(await find('26FE01'), ['barn-door']);
      assert.deepEqual(await find('animal:cow'), ['barn-door']);
      assert.deepEqual(await find('animal:cow floor:2'), ['barn-door']);
      assert.deepEqual(await find('animal:cow floor:3'), []);
      assert.deepEqual(await find('0000000000000005'), ['quiet']);
      assert.deepEqual(await find('roof:north'), ['quiet']);
      assert.deepEqual(await find(`it"s:odd'`), ['quiet']);
    });
  });
}
