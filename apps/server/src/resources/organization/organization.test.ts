import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError, operations } from '@hilltop/contract';
import { admins, describeAccess, everyUser, type PrincipalName, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createAPIKey,
  createApplication,
  createDeviceProfile,
  createOrganization,
  createUser,
} from '../../testing/factories.ts';
import { createGateway } from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { claimQuota, releaseQuota } from '../organization-quota.ts';

const { application, deviceProfile, internal, organization } = operations;

for (const database of databases) {
  describe(`organization on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    it('is listed with its numbers of records on request', async () => {
      const id = await createOrganization(app, { name: 'counted' });
      await createGateway(app, id);
      const listed = async (request: object) =>
        (await app.call(organization.list, { search: 'counted', limit: 1, ...request })).result[0];
      const { gatewayCount, deviceCount } = (await listed({ include: 'counts' }))!;
      assert.deepEqual([gatewayCount, deviceCount], [1, 0]);
      assert.ok(!('gatewayCount' in (await listed({}))!));
    });

    it('exists from the first start, with the administrator in it', async () => {
      const { organization: first } = await app.call(organization.get, { id: '1' });
      assert.deepEqual([first.name, first.canHaveGateways], ['hilltop', true]);
      const { result } = await app.call(organization.listUsers, { organizationID: '1', limit: 10 });
      assert.deepEqual(
        result.map((one) => [one.email, one.isAdmin]),
        [['admin@hilltop.local', true]],
      );
    });

    it('is created, read and changed', async () => {
      const limits = { canHaveGateways: true, maxGatewayCount: 3, maxDeviceCount: 100 };
      const { id } = await app.call(organization.create, {
        organization: { name: 'farm', displayName: 'The Farm', ...limits },
      });
      const { organization: read } = await app.call(organization.get, { id });
      assert.deepEqual(read, { id, name: 'farm', displayName: 'The Farm', ...limits });
      await app.call(organization.update, { organization: { ...read, displayName: 'Our Farm', maxDeviceCount: 5 } });
      const { organization: changed } = await app.call(organization.get, { id });
      assert.deepEqual(changed, { ...read, displayName: 'Our Farm', maxDeviceCount: 5 });
    });

    it('has its limits set by global administrators only', async () => {
      const id = await createOrganization(app, { maxDeviceCount: 7, canHaveGateways: false });
      const { token } = await createUser(app, { organizations: [{ organizationID: id, isAdmin: true }] });
      const change = { id, name: 'changed-by-admin', displayName: 'x', maxDeviceCount: 1000, canHaveGateways: true };
      await app.call(organization.update, { organization: change }, token);
      const { organization: read } = await app.call(organization.get, { id });
      assert.deepEqual([read.name, read.maxDeviceCount, read.canHaveGateways], ['changed-by-admin', 7, false]);
    });

    it('has a unique name without spaces', async () => {
      await createOrganization(app, { name: 'unique' });
      await refused(6, createOrganization(app, { name: 'unique' }));
      await refused(3, createOrganization(app, { name: 'two words' }));
      await refused(3, createOrganization(app, { name: '' }));
    });

    it('is listed by display name, own ones only, and searched', async () => {
      const zeta = await createOrganization(app, { displayName: 'Öko Zeta' });
      const alpha = await createOrganization(app, { displayName: 'Öko Alpha' });
      await createOrganization(app, { displayName: 'Öko Beta' });
      const { token } = await createUser(app, { organizations: [{ organizationID: zeta }, { organizationID: alpha }] });
      const ids = async (search: string) => {
        const { totalCount, result } = await app.call(organization.list, { search, limit: 10 }, token);
        assert.equal(totalCount, String(result.length));
        return result.map((one) => one.id);
      };
      assert.deepEqual(await ids(''), [alpha, zeta]);
      assert.deepEqual(await ids('ZETA'), [zeta]);
      // The locale of the database decides how PostgreSQL folds umlauts.
      const search = database === 'sqlite' ? 'öko' : 'ko ';
      assert.equal((await app.call(organization.list, { search, limit: 10 })).totalCount, '3');
    });

    it('is found by its name and by its display name', async () => {
      const name = `customer-10-${database}`;
      const id = await createOrganization(app, { name, displayName: 'Waterworks North' });
      for (const search of ['STOMER-10', 'waterworks no']) {
        const { result } = await app.call(organization.list, { search, limit: 10 });
        assert.deepEqual(
          result.map((one) => one.id),
          [id],
        );
      }
    });

    it('adds members by e-mail, changes their rights at once and removes them', async () => {
      const organizationID = await createOrganization(app);
      const someone = await createUser(app);
      const userID = someone.id;
      const read = () => app.call(organization.get, { id: organizationID }, someone.token);
      await refused(7, read());
      await app.call(organization.addUser, {
        organizationUser: { organizationID, email: someone.email, isDeviceAdmin: true },
      });
      await read();
      const { organizationUser } = await app.call(organization.getUser, { organizationID, userID });
      assert.deepEqual(organizationUser, {
        organizationID,
        userID,
        email: someone.email,
        isAdmin: false,
        isDeviceAdmin: true,
        isGatewayAdmin: false,
      });
      await refused(6, app.call(organization.addUser, { organizationUser: { organizationID, email: someone.email } }));
      await refused(7, app.call(organization.listUsers, { organizationID }, someone.token));
      await app.call(organization.updateUser, { organizationUser: { organizationID, userID, isAdmin: true } });
      assert.equal((await app.call(organization.listUsers, { organizationID }, someone.token)).totalCount, '1');
      await refused(3, app.call(organization.deleteUser, { organizationID, userID }, someone.token));
      await app.call(organization.deleteUser, { organizationID, userID });
      await refused(7, read());
      await refused(5, app.call(organization.getUser, { organizationID, userID }));
      await refused(5, app.call(organization.deleteUser, { organizationID, userID }));
      await refused(5, app.call(organization.updateUser, { organizationUser: { organizationID, userID } }));
      await refused(
        5,
        app.call(organization.addUser, { organizationUser: { organizationID, email: 'nobody@example.org' } }),
      );
      await refused(
        5,
        app.call(organization.addUser, { organizationUser: { organizationID: '999', email: someone.email } }),
      );
    });

    it('has read-only users and users limited to applications, whom updates of older clients leave so', async () => {
      const organizationID = await createOrganization(app);
      const applicationID = await createApplication(app, { organizationID });
      const foreign = await createApplication(app, { organizationID: await createOrganization(app) });
      const { id: userID } = await createUser(app, { organizations: [{ organizationID }] });
      const update = (rights: object) =>
        app.call(organization.updateUser, { organizationUser: { organizationID, userID, ...rights } });
      const limits = async () => {
        const include = 'limits';
        const { organizationUser } = await app.call(organization.getUser, { organizationID, userID, include });
        return [organizationUser.isReadOnly, organizationUser.applicationIDs];
      };
      const reasonOf = async (rights: object) => (await refused(3, update(rights))).info?.reason;
      assert.deepEqual(await limits(), [false, []]);
      await update({ isReadOnly: true, applicationIDs: [applicationID, applicationID] });
      await update({});
      assert.deepEqual(await limits(), [true, [applicationID]]);
      assert.equal(await reasonOf({ isDeviceAdmin: true }), 'READ_ONLY_WITH_ROLE');
      assert.equal(await reasonOf({ isReadOnly: false, isGatewayAdmin: true }), 'LIMITED_WITH_ROLE');
      assert.equal(await reasonOf({ applicationIDs: [foreign] }), 'NOT_OF_ORGANIZATION');
      await app.call(application.delete, { id: applicationID });
      await update({ applicationIDs: [applicationID] });
      assert.deepEqual(await limits(), [true, [applicationID]], 'a deleted application still limits');
      await update({ isReadOnly: false, applicationIDs: ['0'] });
      assert.deepEqual(await limits(), [false, []]);
    });

    it('shows a limited user its applications in lists, counts and search, and nothing else', async () => {
      const organizationID = await createOrganization(app);
      const applicationID = await createApplication(app, { organizationID, name: 'limited-own' });
      await createApplication(app, { organizationID, name: 'limited-other' });
      await createGateway(app, organizationID);
      const { id: userID, token } = await createUser(app, { organizations: [{ organizationID }] });
      const names = async () =>
        (await app.call(application.list, { limit: 10, organizationID }, token)).result.map(({ name }) => name);
      assert.deepEqual(await names(), ['limited-other', 'limited-own']);
      const member = { organizationID, userID, applicationIDs: [applicationID] };
      await app.call(organization.updateUser, { organizationUser: member });
      assert.deepEqual(await names(), ['limited-own']);
      assert.equal((await app.call(application.list, { limit: 10 }, token)).totalCount, '1');
      assert.equal((await app.call(operations.gateway.list, { limit: 10 }, token)).totalCount, '0');
      const found = await app.call(internal.globalSearch, { search: 'limited', limit: 10 }, token);
      assert.deepEqual(
        found.result.map((one) => one.applicationName),
        ['limited-own'],
      );
      const [listed] = (await app.call(organization.list, { limit: 10, include: 'counts' }, token)).result;
      assert.deepEqual([listed?.id, listed?.deviceCount], [organizationID, undefined]);
      const { limits } = await app.call(organization.get, { id: organizationID, include: 'limits' }, token);
      assert.deepEqual(limits, { isReadOnly: false, applicationIDs: [applicationID] });
      await refused(7, app.call(operations.attention.list, { organizationID }, token));
    });

    it('is deleted with everything in it', async () => {
      const id = await createOrganization(app);
      const applicationID = await createApplication(app, { organizationID: id });
      const deviceProfileID = await createDeviceProfile(app, { organizationID: id });
      const key = await createAPIKey(app, { organizationID: id });
      const { token } = await createUser(app, { organizations: [{ organizationID: id, isAdmin: true }] });
      await app.call(organization.get, { id }, key.token);
      await app.call(organization.delete, { id });
      await refused(5, app.call(organization.get, { id }));
      await refused(5, app.call(application.get, { id: applicationID }));
      await refused(5, app.call(deviceProfile.get, { id: deviceProfileID }));
      await refused(16, app.call(organization.get, { id }, key.token));
      assert.deepEqual((await app.call(internal.profile, {}, token)).organizations, []);
    });

    it('allows devices and gateways up to its limits, also to many at once', async () => {
      const id = Number(await createOrganization(app, { maxDeviceCount: 2 }));
      const { database: db } = app.parts;
      const claims = await Promise.allSettled([1, 2, 3].map(() => claimQuota(db, id, 'device')));
      assert.deepEqual(claims.map((claim) => claim.status).sort(), ['fulfilled', 'fulfilled', 'rejected']);
      await assert.rejects(
        claimQuota(db, id, 'device'),
        (error: ApiError) => error.code === 9 && /limit of 2 devices/.test(error.message),
      );
      await releaseQuota(db, id, 'device', 1);
      await claimQuota(db, id, 'device');
      await claimQuota(db, id, 'gateway');
      await assert.rejects(claimQuota(db, 999_999, 'device'), (error: ApiError) => error.code === 5);
    });
  });

  const administrators: PrincipalName[] = ['organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey'];
  const email = async (app: TestApp) => (await createUser(app)).email;
  const freshMember = async ({ app, organizationID }: { app: TestApp; organizationID: string }) => ({
    organizationID,
    userID: (await createUser(app, { organizations: [{ organizationID }] })).id,
  });
  let names = 0;
  describeAccess(database, 'organization', [
    row(organization.list, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(organization.get, ({ organizationID }) => ({ id: organizationID }), readers),
    row(organization.create, () => ({ organization: { name: `made-${++names}` } }), admins),
    row(
      organization.update,
      ({ organizationID }) => ({
        organization: { id: organizationID, name: `renamed-${++names}`, canHaveGateways: true },
      }),
      ['organizationAdmin', ...admins],
    ),
    row(organization.listUsers, ({ organizationID }) => ({ organizationID }), administrators),
    row(organization.getUser, ({ organizationID, memberID }) => ({ organizationID, userID: memberID }), [
      ...administrators,
      'member',
    ]),
    row(
      organization.addUser,
      async ({ app, organizationID }) => ({ organizationUser: { organizationID, email: await email(app) } }),
      administrators,
    ),
    row(organization.updateUser, async (side) => ({ organizationUser: await freshMember(side) }), administrators),
    row(organization.deleteUser, freshMember, administrators),
    row(organization.delete, async ({ app }) => ({ id: await createOrganization(app) }), admins),
  ]);
}
