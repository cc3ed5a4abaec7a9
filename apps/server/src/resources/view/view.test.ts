import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mostViews, operations } from '@hilltop/contract';
import { admins, describeAccess, everyUser, people, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createOrganization, createUser } from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { view, deviceCount, gatewayCount, organization, user } = operations;
const content = { name: 'silent', query: 'filter=state:is:inactive&sort=-lastSeenAt', isStart: false };

for (const database of databases) {
  describe(`saved views on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    const listed = async (organizationID: string, token?: string) => {
      const { result } = await app.call(view.list, { organizationID, list: 'DEVICES' }, token);
      return result.map(({ name, isStart }) => `${name}${isStart ? '*' : ''}`);
    };

    it('belong to one user, and to one list', async () => {
      const organizationID = await createOrganization(app);
      const place = { organizationID, list: 'DEVICES' } as const;
      const { id } = await app.call(view.create, { ...place, ...content });
      await app.call(view.create, { ...place, ...content, name: 'Beside' });
      for (const list of ['GATEWAYS', 'APPLICATION_DEVICES'] as const)
        await app.call(view.create, { ...place, list, ...content });
      await app.call(view.create, { ...place, organizationID: '0', ...content });
      const { result } = await app.call(view.list, place);
      assert.deepEqual(result[1], { id, ...place, ...content });
      assert.deepEqual(await listed(organizationID), ['Beside', 'silent']);

      const other = await createUser(app, { isAdmin: true });
      assert.deepEqual(await listed(organizationID, other.token), []);
      await refused(5, app.call(view.update, { id, ...content, name: 'stolen' }, other.token));
      await refused(5, app.call(view.delete, { id }, other.token));

      await app.call(view.update, { id, ...content, name: 'quiet' });
      assert.deepEqual(await listed(organizationID), ['Beside', 'quiet']);
      await app.call(view.delete, { id });
      assert.deepEqual(await listed(organizationID), ['Beside']);
      await refused(5, app.call(view.delete, { id }));
    });

    it('open a list with at most one of them', async () => {
      const organizationID = await createOrganization(app);
      const create = (name: string, isStart: boolean) =>
        app.call(view.create, { organizationID, list: 'DEVICES', ...content, name, isStart });
      const { id } = await create('a', true);
      await create('b', true);
      assert.deepEqual(await listed(organizationID), ['a', 'b*']);
      await app.call(view.update, { id, ...content, name: 'a', isStart: true });
      assert.deepEqual(await listed(organizationID), ['a*', 'b']);
    });

    it('are at most 50 of a list, and go with their user and organization', async () => {
      const organizationID = await createOrganization(app);
      const owner = await createUser(app, { isAdmin: true });
      const create = () => app.call(view.create, { organizationID, list: 'DEVICES', ...content }, owner.token);
      const tries = await Promise.allSettled(Array.from({ length: mostViews + 3 }, create));
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, mostViews);
      await refused(9, create());
      const rows = () => app.parts.database.query.selectFrom('view').select('id').execute();
      const before = (await rows()).length;
      await app.call(user.delete, { id: owner.id });
      assert.equal((await rows()).length, before - mostViews);
      await app.call(view.create, { organizationID, list: 'DEVICES', ...content });
      await app.call(organization.delete, { id: organizationID });
      assert.equal((await rows()).length, before - mostViews);
    });
  });

  const place = ({ organizationID }: Side) => ({ organizationID, list: 'DEVICES' as const });
  describeAccess(database, 'views and counts', [
    row(view.list, place, people, ['globalAdmin', 'otherAdmin']),
    row(view.create, (side) => ({ ...place(side), ...content }), people, ['globalAdmin', 'otherAdmin']),
    row(deviceCount.get, ({ organizationID }) => ({ organizationID }), readers),
    row(deviceCount.get, ({ applicationID }) => ({ applicationID }), [...readers, 'applicationKey']),
    row(deviceCount.get, () => ({}), admins),
    row(gatewayCount.get, ({ organizationID }) => ({ organizationID }), readers),
    row(gatewayCount.get, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(operations.device.list, ({ organizationID }) => ({ organizationID }), readers),
  ]);
}
