import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { systemClock } from '../../clock.ts';
import { admins, describeAccess, everyUser, type PrincipalName, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createAPIKey, createApplication, createOrganization, createUser } from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { apiKey, application, internal } = operations;

for (const database of databases) {
  describe(`internal on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database, {
        brandingFooter: '<b>Farm</b> <script>alert(1)</script><a href="javascript:x">x</a>',
      });
    });
    after(() => app[Symbol.asyncDispose]());

    it('returns settings to everybody, with branding that cannot run scripts', async () => {
      const settings = await app.call(internal.settings, {}, null);
      assert.deepEqual(settings, {
        branding: { registration: '', footer: '<b>Farm</b> <a rel="noopener noreferrer">x</a>' },
        openidConnect: { enabled: false, loginURL: '/auth/oidc/login', loginLabel: '', logoutURL: '' },
      });
      await refused(9, app.call(internal.openIDConnectLogin, { code: 'x', state: 'y' }, null));
    });

    it('returns the profile of the user', async () => {
      const organizationID = await createOrganization(app, { name: 'home' });
      const { id, email, token } = await createUser(app, {
        note: 'private',
        organizations: [{ organizationID, isAdmin: true }],
      });
      const { user, organizations, settings } = await app.call(internal.profile, {}, token);
      assert.deepEqual(user, { id, email, note: '', isActive: true, isAdmin: false, sessionTTL: 0 });
      assert.deepEqual(
        organizations.map((one) => [one.organizationName, one.isAdmin]),
        [['home', true]],
      );
      assert.equal(settings?.openidConnect.enabled, false);
    });

    it('counts nothing in an empty installation', async () => {
      const organizationID = await createOrganization(app);
      assert.deepEqual(await app.call(internal.getDevicesSummary, { organizationID }), {
        activeCount: 0,
        inactiveCount: 0,
        drCount: {},
        neverSeenCount: 0,
      });
      assert.deepEqual(await app.call(internal.getGatewaysSummary, {}), {
        activeCount: 0,
        inactiveCount: 0,
        neverSeenCount: 0,
      });
    });

    describe('API keys', () => {
      let ahead = 0;
      /** Another server, whose clock tests move. */
      let later: TestApp;
      before(async () => {
        const clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
        later = await startTestApp(database, {}, { clock });
      });
      beforeEach(() => {
        ahead = 0;
      });
      after(() => later[Symbol.asyncDispose]());

      const detailsOf = async (id: string, scope: object, of = app) => {
        const { result } = await of.call(internal.listAPIKeys, { ...scope, limit: 100, include: 'details' });
        return result.find((key) => key.id === id);
      };

      it('are listed with who created them, and when and from where they were last used, to the minute', async () => {
        const { id, token } = await createAPIKey(later, { isAdmin: true, access: 'READ' });
        const unused = await detailsOf(id, { isAdmin: true }, later);
        const { createdAt, createdBy, access, lastUsedAt, lastUsedAddress } = unused!;
        assert.deepEqual([createdBy, access, lastUsedAt, lastUsedAddress], ['admin@hilltop.local', 'READ', null, '']);
        assert.ok(Math.abs(Date.parse(createdAt!) - Date.now()) < 60_000);
        const useAt = async () => {
          await later.call(application.list, {}, token);
          await later.parts.principals.idle();
          const used = await detailsOf(id, { isAdmin: true }, later);
          assert.equal(used!.lastUsedAddress, '127.0.0.1');
          return Date.parse(used!.lastUsedAt!);
        };
        const first = await useAt();
        ahead = 50_000;
        assert.equal(await useAt(), first);
        ahead = 61_000;
        assert.ok((await useAt()) >= first + 61_000);
        const recorded = await later.call(internal.listAPIKeys, { isAdmin: true, limit: 10 });
        assert.deepEqual(Object.keys(recorded.result[0]!), [
          'id',
          'name',
          'isAdmin',
          'organizationID',
          'applicationID',
        ]);
      });

      it('get another name and expiry', async () => {
        const organizationID = await createOrganization(app);
        const { id, token } = await createAPIKey(app, { organizationID, name: 'a' });
        const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
        await app.call(apiKey.update, { id, name: 'b', expiresAt });
        const changed = await detailsOf(id, { organizationID });
        assert.deepEqual([changed?.name, Date.parse(changed!.expiresAt!)], ['b', Date.parse(expiresAt)]);
        await app.call(apiKey.update, { id, name: 'b' });
        assert.equal((await detailsOf(id, { organizationID }))?.expiresAt, null);
        const past = app.call(apiKey.update, { id, name: 'b', expiresAt: '2020-01-01T00:00:00Z' });
        assert.equal((await refused(3, past)).fieldViolations[0]?.field, 'expiresAt');
        await refused(3, app.call(apiKey.update, { id, name: '' }));
        await refused(5, app.call(apiKey.update, { id: crypto.randomUUID(), name: 'b' }));
        await app.call(application.list, { organizationID }, token);
      });

      it('are replaced by one with the same rights, and remain valid for a day', async () => {
        const hour = 3_600_000;
        const organizationID = await createOrganization(later);
        const old = await createAPIKey(later, { organizationID, name: 'station', access: 'READ_AND_SEND' });
        const { id, jwtToken } = await later.call(apiKey.replace, { id: old.id });
        const { result } = await later.call(internal.listAPIKeys, { organizationID, limit: 10, include: 'details' });
        assert.deepEqual(
          result.map((key) => [key.id === old.id || key.id === id, key.name, key.access, key.organizationID]),
          Array.from({ length: 2 }, () => [true, 'station', 'READ_AND_SEND', organizationID]),
        );
        await refused(9, later.call(apiKey.update, { id: old.id, name: 'revived' }));
        await refused(9, later.call(apiKey.replace, { id: old.id }));
        const ask = (token: string) => later.call(application.list, { organizationID }, token);
        ahead = 23 * hour;
        await ask(old.token);
        ahead = 25 * hour;
        const { message } = await refused(16, ask(old.token));
        assert.match(message, /^This API key expired on \w+ \d+, \d{4} at \d\d:\d\d UTC\. Create a new one\./);
        await ask(jwtToken);
      });

      it('are replaced by one with the same end, unless another end or none is given', async () => {
        const end = '2098-01-01T00:00:00.500Z';
        const endOf = async (given: { expiresAt?: string; neverExpires?: boolean }) => {
          const { id: old } = await createAPIKey(app, { isAdmin: true, expiresAt: end });
          const { id } = await app.call(apiKey.replace, { id: old, ...given });
          return (await detailsOf(id, { isAdmin: true }))!.expiresAt;
        };
        assert.equal(await endOf({}), end);
        assert.equal(await endOf({ expiresAt: '2099-01-01T00:00:00Z' }), '2099-01-01T00:00:00Z');
        assert.equal(await endOf({ neverExpires: true }), null);
        const { id: expired } = await createAPIKey(app, { isAdmin: true, expiresAt: end });
        const keys = app.parts.database.query.updateTable('api_key').set({ expires_at: new Date(1000) });
        await keys.where('id', '=', expired).execute();
        const refusal = await refused(3, app.call(apiKey.replace, { id: expired }));
        assert.equal(refusal.fieldViolations[0]?.field, 'expiresAt');
      });

      it('that end within a day do not live longer when they are replaced', async () => {
        const soon = new Date(Date.now() + 3_600_000).toISOString();
        const { id } = await createAPIKey(app, { isAdmin: true, expiresAt: soon });
        await app.call(apiKey.replace, { id, expiresAt: new Date(Date.now() + 86_400_000).toISOString() });
        assert.equal(Date.parse((await detailsOf(id, { isAdmin: true }))!.expiresAt!), Date.parse(soon));
      });

      it('are for exactly one scope', async () => {
        const organizationID = await createOrganization(app);
        const applicationID = await createApplication(app, { organizationID });
        await refused(3, createAPIKey(app, {}));
        await refused(3, createAPIKey(app, { isAdmin: true, organizationID }));
        await refused(3, createAPIKey(app, { applicationID, organizationID }));
        await refused(5, createAPIKey(app, { organizationID: '999' }));
        await refused(3, createAPIKey(app, { isAdmin: true, name: '' }));
        await createAPIKey(app, { applicationID });
      });

      it('are listed by scope, never with their token', async () => {
        const organizationID = await createOrganization(app);
        const b = await createAPIKey(app, { organizationID, name: 'b' });
        const a = await createAPIKey(app, { organizationID, name: 'a' });
        const { totalCount, result } = await app.call(internal.listAPIKeys, { organizationID, limit: 10 });
        assert.equal(totalCount, '2');
        assert.deepEqual(result, [
          { id: a.id, name: 'a', isAdmin: false, organizationID, applicationID: '0' },
          { id: b.id, name: 'b', isAdmin: false, organizationID, applicationID: '0' },
        ]);
      });

      it('give access to their organization and nothing else', async () => {
        const organizationID = await createOrganization(app);
        const { token } = await createAPIKey(app, { organizationID });
        assert.equal((await app.call(application.list, { organizationID }, token)).totalCount, '0');
        await refused(7, app.call(application.list, { organizationID: '1' }, token));
        await refused(7, app.call(internal.profile, {}, token));
      });

      it('are refused after they expire, with the reason, and only those with an end', async () => {
        const expiresAt = new Date(Date.now() + 60_000).toISOString();
        const ending = await createAPIKey(later, { isAdmin: true, name: 'ending a', expiresAt });
        const lasting = await createAPIKey(later, { isAdmin: true, name: 'ending b' });
        const past = createAPIKey(later, { isAdmin: true, expiresAt: '2020-01-01T00:00:00Z' });
        assert.equal((await refused(3, past)).fieldViolations[0]?.field, 'apiKey.expiresAt');

        const list = { isAdmin: true, search: 'ending', limit: 10 };
        const recorded = await later.call(internal.listAPIKeys, list);
        assert.ok(recorded.result.every((key) => !('expiresAt' in key)));
        const { result } = await later.call(internal.listAPIKeys, { ...list, include: 'expiresAt' });
        assert.deepEqual(
          result.map((key) => [key.id, key.expiresAt && Date.parse(key.expiresAt)]),
          [
            [ending.id, Date.parse(expiresAt)],
            [lasting.id, null],
          ],
        );

        const ask = (token: string) => later.call(application.list, {}, token);
        ahead = 59_000;
        await ask(ending.token);
        ahead = 61_000;
        const { message } = await refused(16, ask(ending.token));
        assert.match(message, /This API key expired on/);
        await ask(lasting.token);
      });

      it('are refused when deleted', async () => {
        const { id } = await createAPIKey(app, { isAdmin: true });
        await app.call(internal.deleteAPIKey, { id });
        await refused(5, app.call(internal.deleteAPIKey, { id }));
      });
    });

    describe('search', () => {
      const find = async (search: string, token?: string, page: object = { limit: 10 }) => {
        const { result } = await app.call(internal.globalSearch, { search, ...page }, token);
        return result.map((one) => `${one.kind} ${one.applicationName || one.organizationName}`);
      };

      it('finds by name, most similar first', async () => {
        const organizationID = await createOrganization(app, { name: 'vineyard' });
        await createApplication(app, { organizationID, name: 'vineyard-south-slope-sensors' });
        await createApplication(app, { organizationID, name: 'vineyards' });
        const all = ['organization vineyard', 'application vineyards', 'application vineyard-south-slope-sensors'];
        assert.deepEqual(await find('VINEYARD'), all);
        assert.deepEqual(await find('vineyard', undefined, { limit: 1, offset: 1 }), all.slice(1, 2));
        assert.deepEqual(await find('vineyard', undefined, {}), []);
        assert.deepEqual(await find('vine:yard'), []);
      });

      it('returns only what is in the organizations of the user', async () => {
        const ownOrganization = await createOrganization(app, { name: 'orchard-mine' });
        await createOrganization(app, { name: 'orchard-theirs' });
        const { token } = await createUser(app, { organizations: [{ organizationID: ownOrganization }] });
        assert.deepEqual(await find('orchard', token), ['organization orchard-mine']);
        const stranger = await createUser(app);
        assert.deepEqual(await find('orchard', stranger.token), []);
      });
    });
  });

  const keyMakers: PrincipalName[] = ['globalAdmin', 'organizationAdmin'];
  describeAccess(
    database,
    'API keys',
    [apiKey.update, apiKey.replace].flatMap((operation) => [
      row(
        operation,
        async ({ app, organizationID }) => ({ id: (await createAPIKey(app, { organizationID })).id, name: 'x' }),
        keyMakers,
      ),
      row(
        operation,
        async ({ app, applicationID }) => ({ id: (await createAPIKey(app, { applicationID })).id, name: 'x' }),
        keyMakers,
      ),
      row(operation, async ({ app }) => ({ id: (await createAPIKey(app, { isAdmin: true })).id, name: 'x' }), [
        'globalAdmin',
      ]),
    ]),
  );
  describeAccess(database, 'internal', [
    row(internal.profile, () => ({}), everyUser, everyUser),
    row(internal.globalSearch, () => ({ search: 'x' }), everyUser, everyUser),
    row(internal.getDevicesSummary, ({ organizationID }) => ({ organizationID }), readers),
    row(internal.getDevicesSummary, () => ({}), admins),
    row(internal.getGatewaysSummary, ({ organizationID }) => ({ organizationID }), readers),
    row(internal.listAPIKeys, ({ organizationID }) => ({ organizationID }), keyMakers),
    row(internal.listAPIKeys, ({ applicationID }) => ({ applicationID }), keyMakers),
    row(internal.listAPIKeys, () => ({ isAdmin: true }), ['globalAdmin']),
    row(internal.listAPIKeys, () => ({}), ['globalAdmin']),
    row(internal.createAPIKey, ({ organizationID }) => ({ apiKey: { name: 'x', organizationID } }), keyMakers),
    row(internal.createAPIKey, ({ applicationID }) => ({ apiKey: { name: 'x', applicationID } }), keyMakers),
    row(internal.createAPIKey, ({ organizationID }) => ({ apiKey: { name: 'x', organizationID, isAdmin: true } }), [
      'globalAdmin',
    ]),
    row(
      internal.deleteAPIKey,
      async (side) => ({ id: (await createAPIKey(side.app, { organizationID: side.organizationID })).id }),
      keyMakers,
    ),
    row(
      internal.deleteAPIKey,
      async (side) => ({ id: (await createAPIKey(side.app, { applicationID: side.applicationID })).id }),
      keyMakers,
    ),
    row(internal.deleteAPIKey, async ({ app }) => ({ id: (await createAPIKey(app, { isAdmin: true })).id }), [
      'globalAdmin',
    ]),
  ]);
}
