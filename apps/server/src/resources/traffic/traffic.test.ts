import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import type { Counters } from '../../statistics/counters.ts';
import { bucketStart } from '../../statistics/interval.ts';
import { describeAccess, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createOrganization } from '../../testing/factories.ts';
import { createDevice, createSurroundings } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { organization, traffic } = operations;
const hourMs = 3_600_000;

for (const database of databases) {
  describe(`traffic on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    const store = async (subject: string, hoursAgo: number, counters: object) => {
      const start = bucketStart('HOUR', app.parts.clock.now().getTime() - hoursAgo * hourMs);
      const row = { subject, interval: 'HOUR', start, counters: JSON.stringify(counters) };
      await app.parts.database.query.insertInto('metric').values(row).execute();
    };

    it('has 24 hours of an organization, with the mean of the days before', async () => {
      const [id, other] = [await createOrganization(app), await createOrganization(app)];
      await store('installation', 24 * 2 + 23, { rx_count: 900 });
      await store(`organization:${id}`, 0, { rx_count: 4, errors: 1 });
      await store(`organization:${id}`, 3, { rx_count: 9, tx_count: 2 });
      await store(`organization:${id}`, 24 + 3, { rx_count: 10 });
      await store(`organization:${id}`, 48 + 3, { rx_count: 20 });
      await store(`organization:${other}`, 3, { rx_count: 500 });
      const { hours, comparedDays, countedFrom } = await app.call(traffic.get, { organizationID: id });
      assert.equal(hours.length, 24);
      assert.equal(comparedDays, 2);
      const figures = hours.map(({ uplinks, downlinks, errors, usualUplinks }) => [
        uplinks,
        downlinks,
        errors,
        usualUplinks,
      ]);
      assert.deepEqual(figures[20], [9, 2, 0, 15]);
      assert.deepEqual(figures[23], [4, 0, 1, 0]);
      const start = bucketStart('HOUR', app.parts.clock.now().getTime() - (24 * 2 + 23) * hourMs);
      assert.equal(Date.parse(countedFrom!), start);
    });

    it('adds up the devices of an organization once a minute, and those of all organizations', async () => {
      const [ours, others] = [await createSurroundings(app), await createSurroundings(app)];
      const [id, other] = [ours.organizationID, others.organizationID];
      const [one, two] = [await createDevice(app, ours), await createDevice(app, ours)];
      const theirs = await createDevice(app, others);
      const { statistics, clock } = app.parts;
      const record = (device: string, counters: Counters) =>
        statistics.record(`device:${device}`, clock.now().getTime(), counters);
      const lastHour = async (organizationID: string) => {
        const { hours } = await app.call(traffic.get, { organizationID });
        const { uplinks, downlinks, errors } = hours.at(-1)!;
        return { uplinks, downlinks, errors };
      };
      const before = await lastHour('0');
      for (const device of [one, two, theirs]) await record(device, { rx_count: 1, rx_dr_5: 1 });
      await record(one, { error_OTAA: 1, error_UPLINK_MIC: 2, tx_count: 1, join_count: 1, lost_count: 3 });
      await statistics.record('gateway:a0000000000000f1', clock.now().getTime(), { rx_count: 9 });
      await statistics.fold();
      assert.deepEqual(await lastHour(id), { uplinks: 2, downlinks: 1, errors: 3 });
      assert.deepEqual(await lastHour(other), { uplinks: 1, downlinks: 0, errors: 0 });
      const { joins, lost } = (await app.call(operations.overview.get, { organizationID: id })).hours.at(-1)!;
      assert.deepEqual([joins, lost], [1, 3]);
      await record(theirs, { rx_count: 1 });
      await statistics.fold();
      assert.deepEqual(await lastHour(other), { uplinks: 2, downlinks: 0, errors: 0 });
      const all = await lastHour('0');
      assert.deepEqual([all.uplinks - before.uplinks, all.downlinks, all.errors - before.errors], [4, 1, 3]);
    });

    it('ends with the deletion of the organization', async () => {
      const id = await createOrganization(app);
      await store(`organization:${id}`, 1, { rx_count: 4 });
      await app.call(organization.delete, { id });
      const rows = app.parts.database.query
        .selectFrom('metric')
        .selectAll()
        .where('subject', '=', `organization:${id}`);
      assert.deepEqual(await rows.execute(), []);
    });
  });

  describeAccess(database, 'traffic', [
    row(traffic.get, ({ organizationID }) => ({ organizationID }), readers),
    row(traffic.get, () => ({}), ['globalAdmin', 'adminKey'], ['globalAdmin', 'adminKey']),
  ]);
}
