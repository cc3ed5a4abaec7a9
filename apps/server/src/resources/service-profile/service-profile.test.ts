import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { operations } from '@hilltop/contract';
import { admins, describeAccess, everyUser, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createApplication,
  createOrganization,
  createServiceProfile,
  createUser,
  networkServerID,
} from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { serviceProfile } = operations;

for (const database of databases) {
  describe(`service-profile on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const features = { drMin: 1, drMax: 4, ulRatePolicy: 'MARK', addGWMetaData: true, channelMask: 'AP8=' } as const;

    it('stores its name here and its features at the network server', async () => {
      const { id } = await app.call(serviceProfile.create, {
        serviceProfile: { name: 'sensors', organizationID, networkServerID, ...features },
      });
      const read = await app.call(serviceProfile.get, { id });
      assert.deepEqual(pick(read.serviceProfile), {
        id,
        name: 'sensors',
        organizationID,
        networkServerID,
        ...features,
      });
      assert.ok(Date.parse(read.createdAt!) <= Date.parse(read.updatedAt!));
    });

    it('is replaced by an update, except for its owner and network server', async () => {
      const id = await createServiceProfile(app, { organizationID, ...features });
      const elsewhere = await createOrganization(app);
      await app.call(serviceProfile.update, {
        serviceProfile: { id, name: 'renamed', organizationID: elsewhere, drMax: 2 },
      });
      const { serviceProfile: after } = await app.call(serviceProfile.get, { id });
      assert.deepEqual(pick(after), {
        id,
        name: 'renamed',
        organizationID,
        networkServerID,
        drMin: 0,
        drMax: 2,
        ulRatePolicy: 'DROP',
        addGWMetaData: false,
        channelMask: null,
      });
    });

    it('does not exist after a delete', async () => {
      const id = await createServiceProfile(app, { organizationID });
      assert.deepEqual(await app.call(serviceProfile.delete, { id }), {});
      await refused(5, app.call(serviceProfile.get, { id }));
      await refused(5, app.call(serviceProfile.delete, { id }));
      await refused(5, app.call(serviceProfile.update, { serviceProfile: { id, name: 'x' } }));
    });

    it('is not deleted while an application uses it', async () => {
      const serviceProfileID = await createServiceProfile(app, { organizationID });
      await createApplication(app, { organizationID, serviceProfileID });
      const { message } = await refused(9, app.call(serviceProfile.delete, { id: serviceProfileID }));
      assert.match(message, /in use by applications\./);
      const { serviceProfile: still } = await app.call(serviceProfile.get, { id: serviceProfileID });
      assert.equal(still.drMax, 5, 'the network server has it as well');
    });

    it('is not stored when the network server refuses it', async () => {
      const network = await app.parts.networks.of(Number(networkServerID));
      const { totalCount } = await app.call(serviceProfile.list, { organizationID });
      const failing = mock.method(network, 'createServiceProfile', () => Promise.reject(new Error('out of order')));
      await refused(13, createServiceProfile(app, { organizationID }));
      failing.mock.restore();
      assert.equal((await app.call(serviceProfile.list, { organizationID })).totalCount, totalCount);
    });

    it('refuses what is not valid', async () => {
      const create = (change: object) =>
        app.call(serviceProfile.create, { serviceProfile: { name: 'x', organizationID, networkServerID, ...change } });
      await refused(3, create({ name: '' }));
      await refused(3, create({ name: 'x'.repeat(101) }));
      await refused(3, create({ drMax: 16 }));
      await refused(3, create({ ulRatePolicy: 'NONSENSE' }));
      await refused(3, create({ channelMask: '!!' }));
      await refused(3, app.call(serviceProfile.create, {}));
      await refused(3, app.call(serviceProfile.get, { id: 'no-uuid' }));
      await refused(5, create({ organizationID: '999999' }));
      await refused(5, create({ networkServerID: '9223372036854775807' }));
      await refused(5, app.call(serviceProfile.get, { id: crypto.randomUUID() }));
    });

    it('is listed by name, in pages, with the true count', async () => {
      const organization = await createOrganization(app);
      for (const name of ['cherry', 'apple', 'banana'])
        await createServiceProfile(app, { organizationID: organization, name });
      const names = async (page: object) => {
        const { totalCount, result } = await app.call(serviceProfile.list, { organizationID: organization, ...page });
        return [totalCount, ...result.map((one) => one.name)];
      };
      assert.deepEqual(await names({}), ['3']);
      assert.deepEqual(await names({ limit: 10 }), ['3', 'apple', 'banana', 'cherry']);
      assert.deepEqual(await names({ limit: 1, offset: 1 }), ['3', 'banana']);
      assert.deepEqual(await names({ limit: 10, networkServerID }), ['3', 'apple', 'banana', 'cherry']);
      assert.deepEqual(await names({ limit: 10, networkServerID: '77' }), ['0']);
      await refused(3, names({ limit: -1 }));
    });

    it('is listed for users without a chosen organization', async () => {
      const organization = await createOrganization(app);
      const id = await createServiceProfile(app, { organizationID: organization });
      const { token } = await createUser(app, { organizations: [{ organizationID: organization }] });
      const ownList = await app.call(serviceProfile.list, { limit: 100 }, token);
      assert.deepEqual([ownList.totalCount, ownList.result.map((one) => one.id)], ['1', [id]]);
      const stranger = await createUser(app);
      assert.equal((await app.call(serviceProfile.list, { limit: 100 }, stranger.token)).totalCount, '0');
      const all = await app.call(serviceProfile.list, { limit: 1000 });
      assert.ok(Number(all.totalCount) > 1);
    });
  });

  describeAccess(database, 'service-profile', [
    row(serviceProfile.list, ({ organizationID }) => ({ organizationID }), readers),
    row(serviceProfile.list, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(serviceProfile.get, async (side) => ({ id: await createServiceProfile(side.app, side) }), readers),
    row(
      serviceProfile.create,
      ({ organizationID }) => ({ serviceProfile: { name: 'x', organizationID, networkServerID } }),
      admins,
    ),
    row(
      serviceProfile.update,
      async (side) => ({ serviceProfile: { id: await createServiceProfile(side.app, side), name: 'x' } }),
      admins,
    ),
    row(serviceProfile.delete, async (side) => ({ id: await createServiceProfile(side.app, side) }), admins),
  ]);
}

function pick(profile: { [name: string]: unknown }) {
  const names = [
    'id',
    'name',
    'organizationID',
    'networkServerID',
    'drMin',
    'drMax',
    'ulRatePolicy',
    'addGWMetaData',
    'channelMask',
  ];
  return Object.fromEntries(names.map((name) => [name, profile[name]]));
}
