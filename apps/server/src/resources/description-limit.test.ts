import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { databases } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext } from '../testing/field.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { descriptionLimit } from './description-limit.ts';

const { application, device, gateway } = operations;

describe('the limit of descriptions in lists', () => {
  it('is 4,096 characters up to 1000 rows, and four million in all beyond', () => {
    assert.deepEqual([0, 1, 1000, 10_000].map(descriptionLimit), [4096, 4096, 4096, 409]);
  });
});

for (const database of databases) {
  describe(`descriptions on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    let gatewayID: string;
    let devEUI: string;
    const older = '📡'.repeat(5000);
    before(async () => {
      app = await startTestApp(database);
      surroundings = await createSurroundings(app);
      gatewayID = await createGateway(app, surroundings.organizationID);
      devEUI = await createDevice(app, surroundings);
      // Rows as versions without the limit stored them.
      for (const table of ['device', 'gateway', 'application'] as const)
        await app.parts.database.query.updateTable(table).set({ description: older }).execute();
    });
    after(() => app[Symbol.asyncDispose]());

    it('of more than 4,096 characters are refused with the limit, in every resource', async () => {
      const { device: read } = await app.call(device.get, { devEUI });
      const call = app.call(device.update, { device: { ...read, description: 'x'.repeat(4097) } });
      const { fieldViolations } = await refused(3, call);
      assert.deepEqual(fieldViolations, [
        { field: 'device.description', description: 'Must have at most 4096 characters.' },
      ]);
      await app.call(device.update, { device: { ...read, description: '📡'.repeat(4096) } });
      await app.parts.database.query.updateTable('device').set({ description: older }).execute();
    });

    it('that are longer in older rows stay readable as they are', async () => {
      const { device: read } = await app.call(device.get, { devEUI });
      assert.equal(read.description, older);
      assert.equal((await app.call(gateway.get, { id: gatewayID })).gateway.description, older);
      const { applicationID } = surroundings;
      assert.equal((await app.call(application.get, { id: applicationID })).application.description, older);
    });

    it('that are longer in older rows are shortened in lists', async () => {
      const { organizationID, applicationID, serviceProfileID } = surroundings;
      const expected = '📡'.repeat(4096);
      for (const filter of [
        { applicationID },
        { applicationID, orderBy: '-name' },
        { applicationID, orderBy: 'devEUI' },
        { serviceProfileID },
      ] as const) {
        const { result } = await app.call(device.list, { ...filter, limit: 10 });
        assert.equal(result[0]!.description, expected);
      }
      const { result: long } = await app.call(device.list, { applicationID, limit: 10_000 });
      assert.equal(long[0]!.description, '📡'.repeat(409));
      const { result: gateways } = await app.call(gateway.list, { organizationID, limit: 10 });
      assert.equal(gateways[0]!.description, expected);
      const { result: applications } = await app.call(application.list, { organizationID, limit: 10 });
      assert.equal(applications[0]!.description, expected);
    });
  });
}
