import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createAPIKey, createOrganization, createUser } from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { internal, user } = operations;

for (const database of databases) {
  describe(`user on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    it('is created with memberships, read, changed and deleted', async () => {
      const organizationID = await createOrganization(app, { name: 'club' });
      const { id } = await app.call(user.create, {
        user: { email: 'ada@example.org', isActive: true, note: 'first', sessionTTL: 60 },
        password: 'engine',
        organizations: [{ organizationID, isDeviceAdmin: true }],
      });
      const { user: read } = await app.call(user.get, { id });
      assert.deepEqual(read, {
        id,
        email: 'ada@example.org',
        isActive: true,
        isAdmin: false,
        note: 'first',
        sessionTTL: 60,
      });
      const profile = await app.call(internal.profile, {}, await app.signIn('ada@example.org', 'engine'));
      assert.deepEqual(
        profile.organizations.map((one) => [one.organizationName, one.isAdmin, one.isDeviceAdmin, one.isGatewayAdmin]),
        [['club', false, true, false]],
      );
      await app.call(user.update, { user: { ...read, note: 'second' } });
      assert.equal((await app.call(user.get, { id })).user.note, 'second');
      await app.call(user.delete, { id });
      await refused(5, app.call(user.get, { id }));
    });

    it('is created with all its memberships or not at all', async () => {
      const half = {
        user: { email: 'half@example.org' },
        password: 'password',
        organizations: [{ organizationID: '999' }],
      };
      await refused(5, app.call(user.create, half));
      await app.call(user.create, { ...half, organizations: [] });
    });

    it('has an e-mail address of its own and a password of some length', async () => {
      const create = (email: string, password = 'password') => app.call(user.create, { user: { email }, password });
      await create('taken@example.org');
      await refused(6, create('taken@example.org'));
      await refused(3, create('no address'));
      await refused(3, create('short@example.org', '12345'));
      const other = await createUser(app);
      await refused(6, app.call(user.update, { user: { id: other.id, email: 'taken@example.org', isActive: true } }));
    });

    it('is listed by e-mail', async () => {
      await createUser(app, { email: 'aaa@example.org' });
      const { result, totalCount } = await app.call(user.list, { limit: 2 });
      assert.equal(result[0]?.email, 'aaa@example.org');
      assert.ok(Number(totalCount) > 2);
    });

    it('does not delete itself', async () => {
      const admin = await createUser(app, { isAdmin: true });
      await refused(3, app.call(user.delete, { id: admin.id }, admin.token));
      await app.call(user.get, { id: admin.id }, admin.token);
    });

    it('is signed out by a new password, and signs in with it only', async () => {
      const { id, email, password, token } = await createUser(app);
      await app.call(internal.profile, {}, token);
      await app.call(user.updatePassword, { userId: id, password: 'brand new' }, token);
      await refused(16, app.call(internal.profile, {}, token));
      await refused(16, app.signIn(email, password));
      await app.call(internal.profile, {}, await app.signIn(email, 'brand new'));
      await refused(3, app.call(user.updatePassword, { userId: id, password: 'short' }));
    });

    const change = async (changes: object, before: object = {}) => {
      const someone = await createUser(app, { isActive: true, ...before });
      await app.call(internal.profile, {}, someone.token);
      const { user: read } = await app.call(user.get, { id: someone.id });
      await app.call(user.update, { user: { ...read, ...changes } });
      return someone;
    };

    it('is shut out at once when deactivated, renamed, demoted or deleted', async () => {
      const deactivated = await change({ isActive: false });
      await refused(16, app.call(internal.profile, {}, deactivated.token));
      const renamed = await change({ email: 'renamed@example.org' });
      await refused(16, app.call(internal.profile, {}, renamed.token));
      const demoted = await change({ isAdmin: false }, { isAdmin: true });
      await refused(16, app.call(user.list, {}, demoted.token));
      const deleted = await createUser(app);
      await app.call(user.delete, { id: deleted.id });
      await refused(16, app.call(internal.profile, {}, deleted.token));
      await refused(16, app.signIn(deleted.email, deleted.password));
    });

    it('stays signed in through other changes', async () => {
      const promoted = await change({ isAdmin: true, note: 'boss' });
      await app.call(user.list, {}, promoted.token);
    });

    it('signs in while deactivated, but that opens nothing', async () => {
      const { email, password } = await createUser(app, { isActive: false });
      await refused(16, app.call(internal.profile, {}, await app.signIn(email, password)));
    });
  });

  describeAccess(database, 'user', [
    row(user.list, () => ({}), admins),
    row(user.get, ({ memberID }) => ({ id: memberID }), [...admins, 'member'], [...admins, 'otherAdmin']),
    row(user.create, () => ({ user: { email: `${crypto.randomUUID()}@example.org` }, password: 'password' }), admins),
    row(
      user.update,
      async ({ app }) => ({ user: { id: (await createUser(app)).id, email: `${crypto.randomUUID()}@example.org` } }),
      admins,
    ),
    row(user.delete, async ({ app }) => ({ id: (await createUser(app)).id }), admins),
  ]);

  it(`one administrator on ${database} always stays`, async () => {
    await using app = await startTestApp(database);
    const { user: first } = await app.call(user.get, { id: '1' });
    const { token: key } = await createAPIKey(app, { isAdmin: true });
    const demoted = { user: { ...first, isAdmin: false } };
    await createUser(app, { isAdmin: true, isActive: false });
    await refused(9, app.call(user.update, demoted));
    await refused(9, app.call(user.update, { user: { ...first, isActive: false } }));
    const { message } = await refused(9, app.call(user.delete, { id: '1' }, key));
    assert.match(message, /last active global admin/);
    await app.call(user.update, { user: { ...first, note: 'still here' } });

    const second = await createUser(app, { isAdmin: true });
    const { user: other } = await app.call(user.get, { id: second.id });
    const outcomes = await Promise.allSettled([
      app.call(user.update, demoted, key),
      app.call(user.update, { user: { ...other, isActive: false } }, key),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  it(`a password on ${database} is set by its user and administrators only`, async () => {
    await using app = await startTestApp(database);
    const mine = await createUser(app);
    const other = await createUser(app);
    await refused(7, app.call(user.updatePassword, { userId: mine.id, password: 'password' }, other.token));
    await refused(16, app.call(user.updatePassword, { userId: mine.id, password: 'password' }, null));
    await app.call(user.updatePassword, { userId: mine.id, password: 'password' }, mine.token);
    await app.call(user.updatePassword, { userId: mine.id, password: 'password' });
  });
}
