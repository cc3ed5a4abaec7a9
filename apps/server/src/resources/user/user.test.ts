import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations, type PartOf, type UserOrganization } from '@hilltop/contract';
import { systemClock } from '../../clock.ts';
import { hashPassword } from '../../passwords/password.ts';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createAPIKey, createApplication, createOrganization, createUser } from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { internal, organization, user } = operations;

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
        password: 'analytical engine',
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
      const profile = await app.call(internal.profile, {}, await app.signIn('ada@example.org', 'analytical engine'));
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
        password: 'a long password',
        organizations: [{ organizationID: '999' }],
      };
      await refused(5, app.call(user.create, half));
      await app.call(user.create, { ...half, organizations: [] });
    });

    it('is created with limited memberships', async () => {
      const organizationID = await createOrganization(app);
      const applicationID = await createApplication(app, { organizationID });
      const foreign = await createApplication(app);
      let made = 0;
      const create = (rights: PartOf<UserOrganization>) =>
        app.call(user.create, {
          user: { email: `limited-${++made}@example.org`, isActive: true },
          password: 'a long password',
          organizations: [{ organizationID, ...rights }],
        });
      const { id: userID } = await create({ isReadOnly: true, applicationIDs: [applicationID] });
      const { organizationUser } = await app.call(organization.getUser, { organizationID, userID, include: 'limits' });
      assert.equal(organizationUser.isReadOnly, true);
      assert.deepEqual(organizationUser.applicationIDs, [applicationID]);
      const fieldOf = async (rights: PartOf<UserOrganization>, reason: string) => {
        const refusal = await refused(3, create(rights));
        assert.equal(refusal.info?.reason, reason);
        return refusal.fieldViolations[0]?.field;
      };
      assert.equal(
        await fieldOf({ isReadOnly: true, isAdmin: true }, 'READ_ONLY_WITH_ROLE'),
        'organizations[0].isReadOnly',
      );
      assert.equal(
        await fieldOf({ applicationIDs: [foreign] }, 'NOT_OF_ORGANIZATION'),
        'organizations[0].applicationIDs',
      );
    });

    it('has an address that differs from others in more than letter case', async () => {
      const create = (email: string) =>
        app.call(user.create, { user: { email, isActive: true }, password: 'a long password' });
      const { id } = await create('Case@example.org');
      assert.equal((await refused(6, create('case@EXAMPLE.org'))).fieldViolations[0]?.field, 'user.email');
      const { id: other } = await create('other-case@example.org');
      const renamed = (of: string, email: string) =>
        app.call(user.update, { user: { id: of, email, isActive: true, sessionTTL: 0 } });
      await refused(6, renamed(other, 'CASE@example.org'));
      await renamed(id, 'case@example.org');
    });

    it('has a unique e-mail address and a password of a minimum length', async () => {
      const create = (email: string, password = 'a long password') =>
        app.call(user.create, { user: { email }, password });
      await create('taken@example.org');
      await refused(6, create('taken@example.org'));
      await refused(3, create('no address'));
      for (const weak of ['1234567', 'seven77', 'password', '12345678', 'Weak@example.org']) {
        const { fieldViolations } = await refused(3, create('weak@example.org', weak));
        assert.deepEqual(
          fieldViolations.map(({ field }) => field),
          ['password'],
        );
      }
      const other = await createUser(app);
      await refused(6, app.call(user.update, { user: { id: other.id, email: 'taken@example.org', isActive: true } }));
    });

    it('is listed by e-mail', async () => {
      await createUser(app, { email: 'aaa@example.org' });
      const { result, totalCount } = await app.call(user.list, { limit: 2 });
      assert.equal(result[0]?.email, 'aaa@example.org');
      assert.ok(Number(totalCount) > 2);
    });

    it('cannot delete itself', async () => {
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

    it('loses access at once when deactivated, renamed, demoted or deleted', async () => {
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

    it('stays signed in after other changes', async () => {
      const promoted = await change({ isAdmin: true, note: 'boss' });
      await app.call(user.list, {}, promoted.token);
    });

    describe('changing a password', () => {
      const olderThanFresh = (id: string) =>
        app.parts.database.query
          .updateTable('session')
          .set({ created_at: new Date(Date.now() - 6 * 60_000) })
          .where('user_id', '=', Number(id))
          .execute();
      const change = (id: string, passwords: { password: string; oldPassword?: string }, token?: string) =>
        app.call(user.updatePassword, { userId: id, ...passwords }, token);
      const fieldOf = async (call: Promise<unknown>) => (await refused(3, call)).fieldViolations[0]?.field;

      it('asks users for their old one, unless they have just signed in', async () => {
        const { id, email, password, token } = await createUser(app, { isAdmin: true });
        await olderThanFresh(id);
        assert.equal(await fieldOf(change(id, { password: 'brand new' }, token)), 'oldPassword');
        assert.equal(
          await fieldOf(change(id, { password: 'brand new', oldPassword: 'guessed' }, token)),
          'oldPassword',
        );
        await app.call(internal.profile, {}, token);
        await change(id, { password: 'brand new', oldPassword: password }, token);
        const fresh = await app.signIn(email, 'brand new');
        assert.equal(
          await fieldOf(change(id, { password: 'newer still', oldPassword: 'guessed' }, fresh)),
          'oldPassword',
        );
        await change(id, { password: 'newer still' }, fresh);
        await app.signIn(email, 'newer still');
      });

      it('does not ask administrators for the old one of another user', async () => {
        const { id, email } = await createUser(app);
        await olderThanFresh('1');
        await change(id, { password: 'set by an administrator' });
        await app.signIn(email, 'set by an administrator');
        const { token: key } = await createAPIKey(app, { isAdmin: true });
        await change(id, { password: 'set by a program' }, key);
        await app.signIn(email, 'set by a program');
      });

      it('refuses common passwords', async () => {
        const { id, email, password, token } = await createUser(app);
        for (const weak of ['password', 'QWERTYUIOP', '1234567', email])
          assert.equal(await fieldOf(change(id, { password: weak, oldPassword: password }, token)), 'password');
      });

      it('limits the attempts with the old one', async () => {
        await using slow = await startTestApp(database, {}, { clock: { ...systemClock, monotonicMs: () => 0 } });
        const { id, password, token } = await createUser(slow);
        const guess = (oldPassword: string) =>
          slow.call(user.updatePassword, { userId: id, password: 'brand new', oldPassword }, token);
        for (let i = 0; i < 10; i++) await refused(3, guess('guessed'));
        await refused(8, guess(password));
      });
    });

    it('accepts an old one that is longer than new ones may be', async () => {
      const { id, email } = await createUser(app);
      const stored = await hashPassword('123456', 'test');
      await app.parts.database.query
        .updateTable('user')
        .set({ password_hash: stored })
        .where('id', '=', Number(id))
        .execute();
      await app.call(internal.profile, {}, await app.signIn(email, '123456'));
    });

    it('reports a deactivated account at sign-in, but only with the correct password', async () => {
      const { id, email, password } = await createUser(app);
      await app.call(user.update, { user: { id, email, isActive: false } });
      const { message } = await refused(16, app.signIn(email, password));
      assert.match(message, /not active/);
      assert.doesNotMatch((await refused(16, app.signIn(email, 'wrong password'))).message, /not active/);
    });
  });

  describeAccess(database, 'user', [
    row(user.list, () => ({}), admins),
    row(user.get, ({ memberID }) => ({ id: memberID }), [...admins, 'member'], [...admins, 'otherAdmin']),
    row(
      user.create,
      () => ({ user: { email: `${crypto.randomUUID()}@example.org` }, password: 'a long password' }),
      admins,
    ),
    row(
      user.update,
      async ({ app }) => ({ user: { id: (await createUser(app)).id, email: `${crypto.randomUUID()}@example.org` } }),
      admins,
    ),
    row(user.delete, async ({ app }) => ({ id: (await createUser(app)).id }), admins),
  ]);

  it(`one administrator on ${database} always remains`, async () => {
    await using app = await startTestApp(database);
    const { user: first } = await app.call(user.get, { id: '1' });
    const { token: key } = await createAPIKey(app, { isAdmin: true });
    const demoted = { user: { ...first, isAdmin: false } };
    await app.call(user.create, {
      user: { email: 'asleep@example.org', isAdmin: true, isActive: false },
      password: 'a long password',
    });
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
    const ownUser = await createUser(app);
    const other = await createUser(app);
    await refused(7, app.call(user.updatePassword, { userId: ownUser.id, password: 'another password' }, other.token));
    await refused(16, app.call(user.updatePassword, { userId: ownUser.id, password: 'another password' }, null));
    await app.call(user.updatePassword, { userId: ownUser.id, password: 'another password' }, ownUser.token);
    await app.call(user.updatePassword, { userId: ownUser.id, password: 'yet another password' });
  });
}
