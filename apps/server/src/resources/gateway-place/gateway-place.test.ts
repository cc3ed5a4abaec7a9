import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { describeAccess, everyUser, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createOrganization, createUser, networkServerID } from '../../testing/factories.ts';
import { createDevice, createSurroundings } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { devicePlace, gateway, gatewayPlace } = operations;

for (const database of databases) {
  describe(`places of gateways on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    it('are listed for an organization, and for all that the caller may see', async () => {
      const [organizationID, other] = [await createOrganization(app), await createOrganization(app)];
      const create = (id: string, owner: string, location: object) =>
        app.call(gateway.create, {
          gateway: { id, name: `of-${id}`, organizationID: owner, networkServerID, location },
        });
      await create('a0000000000000f2', organizationID, { latitude: 52.1, longitude: -5.2, altitude: 12 });
      await create('a0000000000000f1', organizationID, {});
      await create('a0000000000000f3', other, { latitude: 1, longitude: 2 });
      const seen = new Date('2026-11-23T03:04:05.678Z');
      await app.parts.database.query
        .updateTable('gateway')
        .set({ last_seen_at: seen })
        .where('id', '=', 'a0000000000000f2')
        .execute();
      const ours = [
        ['a0000000000000f1', 0, 0, null],
        ['a0000000000000f2', 52.1, -5.2, seen.toISOString()],
      ].map(([id, latitude, longitude, lastSeenAt]) => ({
        id,
        name: `of-${id}`,
        organizationID,
        latitude,
        longitude,
        lastSeenAt,
      }));
      assert.deepEqual((await app.call(gatewayPlace.list, { organizationID, limit: 9 })).result, ours);
      assert.deepEqual((await app.call(gatewayPlace.list, { organizationID, limit: 1 })).result, ours.slice(0, 1));
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      assert.deepEqual((await app.call(gatewayPlace.list, { limit: 9 }, token)).result, ours);
      const all = (await app.call(gatewayPlace.list, { limit: 9 })).result;
      assert.deepEqual(all.at(-1)?.organizationID, other);
    });
  });

  describe(`places of devices on ${database}`, () => {
    it('are listed for an organization, and for all that the caller may see', async () => {
      await using app = await startTestApp(database);
      const [ours, theirs] = [await createSurroundings(app), await createSurroundings(app)];
      const place = async (around: typeof ours, at: { latitude: number; longitude: number } | undefined) => {
        const devEUI = await createDevice(app, around);
        const { query } = app.parts.database;
        if (at) await query.updateTable('device').set(at).where('dev_eui', '=', devEUI).execute();
        return devEUI;
      };
      const first = await place(ours, { latitude: 52.1, longitude: 0 });
      await place(ours, undefined);
      const other = await place(theirs, { latitude: 0, longitude: -3 });
      const { organizationID, applicationID } = ours;
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      const { result, totalCount } = await app.call(devicePlace.list, { limit: 9 }, token);
      assert.deepEqual(
        result.map((one) => ({ ...one, name: '' })),
        [{ devEUI: first, name: '', applicationID, organizationID, latitude: 52.1, longitude: 0, lastSeenAt: null }],
      );
      assert.equal(totalCount, '1');
      const all = await app.call(devicePlace.list, { limit: 9 });
      assert.deepEqual(
        all.result.map(({ devEUI }) => devEUI),
        [first, other],
      );
      const bounded = await app.call(devicePlace.list, { limit: 1 });
      assert.deepEqual([bounded.totalCount, bounded.result.length], ['2', 1]);
    });
  });

  describeAccess(database, 'places of devices and gateways', [
    row(devicePlace.list, ({ organizationID }) => ({ organizationID }), readers),
    row(devicePlace.list, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(gatewayPlace.list, ({ organizationID }) => ({ organizationID }), readers),
    row(gatewayPlace.list, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
  ]);
}
