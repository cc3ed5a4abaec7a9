import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { systemClock } from '../clock.ts';
import { CallError } from '../testing/client.ts';
import { databases } from '../testing/databases.ts';
import { createOrganization, createUser } from '../testing/factories.ts';
import { clientID, clientSecret, type OpenIDProvider, startOpenIDProvider } from '../testing/openid-provider.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const { internal, user, invitation } = operations;
const redirectURL = 'http://hilltop.example.org/auth/oidc/callback';

const settingsFor = (issuer: string, others: object = {}) => ({
  oidcProviderURL: issuer,
  oidcClientID: clientID,
  oidcClientSecret: clientSecret,
  oidcRedirectURL: redirectURL,
  oidcLogoutURL: 'https://login.example.org/logout',
  oidcLoginLabel: 'Sign in at the example',
  ...others,
});

/** A browser that signs in: from this server through the provider and back to the callback. */
async function visit(app: TestApp, provider: OpenIDProvider, name: string) {
  const login = await app.fetch('/auth/oidc/login', { redirect: 'manual' });
  assert.equal(login.status, 302);
  const back = await provider.visit(login.headers.get('Location')!, name);
  const callback = await app.fetch(`/auth/oidc/callback${back.search}`, { redirect: 'manual' });
  const screen = new URL(callback.headers.get('Location')!, app.url);
  assert.equal(screen.pathname, '/login');
  const { code, state } = Object.fromEntries(screen.searchParams) as { code: string; state: string };
  return { code, state, cookie: login.headers.getSetCookie()[0]!.split(';')[0]! };
}

interface ProviderAnswer {
  code: string;
  state: string;
  cookie: string;
}

const open = (app: TestApp, { code, state }: ProviderAnswer, headers: Record<string, string>) =>
  app.fetch(`/api/internal/oidc/login?${new URLSearchParams({ code, state })}`, { headers });

async function finish(app: TestApp, answer: ProviderAnswer): Promise<string> {
  const response = await open(app, answer, { Cookie: answer.cookie });
  const body = (await response.json()) as { jwtToken: string; code: number; message: string };
  if (!response.ok) throw new CallError(response.status, body);
  return body.jwtToken;
}

const signInAs = async (app: TestApp, provider: OpenIDProvider, name: string) =>
  finish(app, await visit(app, provider, name));

const profileOf = async (app: TestApp, token: string) => (await app.call(internal.profile, {}, token)).user!;

for (const database of databases) {
  describe(`single sign-on on ${database}`, () => {
    let provider: OpenIDProvider;
    let app: TestApp;
    before(async () => {
      provider = await startOpenIDProvider({ redirectURL });
      app = await startTestApp(database, settingsFor(provider.issuer) as never);
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    });

    const person = (name: string, verified: unknown = true) => {
      const email = `${name}@example.org`;
      provider.people.set(name, { email, email_verified: verified, name });
      return email;
    };
    const attached = async (name: string) => createUser(app, { email: person(name) });

    it('is announced to the console', async () => {
      const { openidConnect } = await app.call(internal.settings, {}, null);
      assert.deepEqual(openidConnect, {
        enabled: true,
        loginURL: '/auth/oidc/login',
        loginLabel: 'Sign in at the example',
        logoutURL: 'https://login.example.org/logout',
      });
    });

    it('redirects the browser with PKCE, state and nonce, and a mark that recognizes it', async () => {
      const response = await app.fetch('/auth/oidc/login', { redirect: 'manual' });
      const { searchParams } = new URL(response.headers.get('Location')!);
      assert.equal(searchParams.get('response_type'), 'code');
      assert.equal(searchParams.get('scope'), 'openid profile email');
      assert.equal(searchParams.get('client_id'), clientID);
      assert.equal(searchParams.get('redirect_uri'), redirectURL);
      assert.equal(searchParams.get('code_challenge_method'), 'S256');
      for (const name of ['code_challenge', 'state', 'nonce']) assert.ok(searchParams.get(name)!.length >= 43);
      assert.match(response.headers.getSetCookie()[0]!, /^hilltop_sign_on=[\w-]{43}; .*HttpOnly; SameSite=Lax$/);
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
    });

    it('creates a session for a person with the e-mail address of a user', async () => {
      const { id, email } = await attached('ada');
      const token = await signInAs(app, provider, 'ada');
      assert.deepEqual([(await profileOf(app, token)).id, (await profileOf(app, token)).email], [id, email]);
      const headers = { Authorization: `Bearer ${token}` };
      assert.equal((await app.fetch('/api/internal/logout', { method: 'POST', headers })).status, 200);
      await refused(16, app.call(internal.profile, {}, token));
    });

    it('recognizes a person by the identity at the provider, and updates the e-mail address', async () => {
      const { id, token: before } = await attached('grace');
      await signInAs(app, provider, 'grace');
      provider.people.set('grace', { email: 'hopper@example.org', email_verified: 'true' });
      const token = await signInAs(app, provider, 'grace');
      assert.deepEqual(
        [(await profileOf(app, token)).id, (await profileOf(app, token)).email],
        [id, 'hopper@example.org'],
      );
      await refused(16, app.call(internal.profile, {}, before));
    });

    it('does not take the e-mail address of another user', async () => {
      await attached('first');
      await attached('second');
      await signInAs(app, provider, 'second');
      provider.people.set('second', { email: 'first@example.org', email_verified: true });
      const { message } = await refused(6, signInAs(app, provider, 'second'));
      assert.match(message, /Another user has the e-mail address/);
    });

    it('does not give an account to another person who gets its e-mail address at the provider', async () => {
      const { id, email } = await attached('owner');
      await signInAs(app, provider, 'owner');
      provider.people.set('successor', { email, email_verified: true });
      const { message } = await refused(6, signInAs(app, provider, 'successor'));
      assert.match(message, /belongs to another user at the sign-in provider/);
      assert.equal((await profileOf(app, await signInAs(app, provider, 'owner'))).id, id);
    });

    it('still allows signing in with a password', async () => {
      const { email, password } = await attached('both');
      await signInAs(app, provider, 'both');
      await profileOf(app, await app.signIn(email, password));
    });

    it('refuses people who are unknown, unverified, without an address or not active', async () => {
      person('stranger');
      await refused(5, signInAs(app, provider, 'stranger'));
      await attached('doubtful');
      for (const verified of [false, 'false', null, 1]) {
        person('doubtful', verified);
        await refused(9, signInAs(app, provider, 'doubtful'));
      }
      provider.people.set('nameless', {});
      await refused(9, signInAs(app, provider, 'nameless'));
      const { id, email } = await attached('gone');
      await app.call(user.update, { user: { id, email, isActive: false } });
      await refused(16, signInAs(app, provider, 'gone'));
    });

    it('accepts a code once', async () => {
      await attached('twice');
      const answer = await visit(app, provider, 'twice');
      await finish(app, answer);
      assert.match((await refused(3, finish(app, answer))).message, /already completed/);
    });

    it('refuses an unknown or expired state', async () => {
      await attached('late');
      const answer = await visit(app, provider, 'late');
      for (const forged of ['', 'nonsense', `${answer.state.slice(0, -6)}AAAAAA`, app.adminToken])
        assert.match(
          (await refused(3, finish(app, { ...answer, state: forged }))).message,
          /not started in this browser/,
        );
      await refused(16, app.call(internal.profile, {}, answer.state));

      let aheadMs = 0;
      const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
      await using slow = await startTestApp(database, settingsFor(provider.issuer) as never, { clock });
      const old = await visit(slow, provider, 'late');
      aheadMs = 6 * 60_000;
      assert.match((await refused(3, finish(slow, old))).message, /longer than five minutes/);
    });

    it('refuses a code that is wrong or belongs to another sign-in', async () => {
      await attached('mallory');
      const [one, other] = [await visit(app, provider, 'mallory'), await visit(app, provider, 'mallory')];
      assert.match((await refused(3, finish(app, { ...one, code: 'guessed' }))).message, /no longer accepts/);
      await refused(3, finish(app, { ...other, code: one.code }));
    });

    it('is completed only by the browser that began it', async () => {
      await attached('victim');
      const answer = await visit(app, provider, 'victim');
      const fromBrowser = { 'Sec-Fetch-Site': 'same-origin' };
      const mark = `hilltop_sign_on=${'A'.repeat(43)}`;
      const strangers: Record<string, string>[] = [{}, fromBrowser, { ...fromBrowser, Cookie: mark }, { Cookie: mark }];
      for (const headers of strangers) {
        const response = await open(app, answer, headers);
        assert.equal(response.status, 400);
        assert.match(await response.text(), /started in another browser/);
      }
      const own = { ...fromBrowser, Cookie: `theme=dark; ${answer.cookie}` };
      assert.equal((await open(app, answer, own)).status, 200);
    });

    it('gives a browser that begins twice the same mark', async () => {
      const { cookie } = await visit(app, provider, 'twice');
      const again = await app.fetch('/auth/oidc/login', { redirect: 'manual', headers: { Cookie: cookie } });
      assert.ok(again.headers.getSetCookie()[0]!.startsWith(`${cookie};`));
    });

    it('reports that the provider returned no code, without showing text of the request', async () => {
      for (const [query, passed] of [
        ['?error=access_denied&error_description=<script>', 'access_denied'],
        ['?error=<script>', 'server_error'],
        ['?code=x', 'server_error'],
        ['', 'server_error'],
      ] as const) {
        const response = await app.fetch(`/auth/oidc/callback${query}`, { redirect: 'manual' });
        assert.equal(response.headers.get('Location'), `/login?error=${passed}`);
        assert.equal(response.headers.get('Cache-Control'), 'no-store');
      }
    });
  });

  describe(`single sign-on with registration on ${database}`, () => {
    it('creates users for unknown people', async () => {
      await using provider = await startOpenIDProvider({ redirectURL });
      const settings = settingsFor(provider.issuer, { oidcRegistration: true });
      await using app = await startTestApp(database, settings as never);
      provider.people.set('new', { email: 'new@example.org', email_verified: true });
      const profile = await profileOf(app, await signInAs(app, provider, 'new'));
      assert.deepEqual([profile.email, profile.isAdmin, profile.isActive], ['new@example.org', false, true]);
      assert.equal((await profileOf(app, await signInAs(app, provider, 'new'))).id, profile.id);
      await refused(16, app.signIn('new@example.org', ''));
    });

    it('accepts unverified addresses, reads the ID token and authenticates as the settings and the provider require', async () => {
      await using provider = await startOpenIDProvider({
        redirectURL,
        authentication: 'client_secret_post',
        claimsInToken: true,
      });
      const choices = { oidcRegistration: true, oidcUseUserinfo: false, oidcAssumeEmailVerified: true };
      await using app = await startTestApp(database, settingsFor(provider.issuer, choices) as never);
      provider.people.set('token', { email: 'token@example.org', email_verified: false });
      assert.equal((await profileOf(app, await signInAs(app, provider, 'token'))).email, 'token@example.org');
    });

    it('calls the registration callback, and removes users that it rejects', async () => {
      const asked: { method: string; url: string; type: string; body: string }[] = [];
      let status = 403;
      const callback = createServer(async (request, response) => {
        const { method = '', url = '', headers } = request;
        asked.push({ method, url, type: headers['content-type'] ?? '', body: await textOf(request) });
        response.writeHead(status, { Location: '/elsewhere' }).end();
      }).listen(0, '127.0.0.1');
      callback.unref();
      await once(callback, 'listening');
      const { port } = callback.address() as AddressInfo;
      await using provider = await startOpenIDProvider({ redirectURL });
      const choices = {
        oidcRegistration: true,
        oidcRegistrationCallbackURL: `http://127.0.0.1:${port}/registered?portal=1`,
        outgoingAllow: '127.0.0.1',
      };
      await using app = await startTestApp(database, settingsFor(provider.issuer, choices) as never);
      provider.people.set('asked', { email: 'asked@example.org', email_verified: true, name: 'Asked' });

      for (status of [403, 302, 204]) await refused(13, signInAs(app, provider, 'asked'));
      assert.equal((await app.call(user.list, { limit: 10 })).totalCount, '1');
      status = 200;
      const { id } = await profileOf(app, await signInAs(app, provider, 'asked'));
      await signInAs(app, provider, 'asked');
      assert.equal(asked.length, 4);
      const { method, url, type, body } = asked[3]!;
      assert.deepEqual(
        [method, url, type],
        ['POST', '/registered?portal=1', 'application/x-www-form-urlencoded;charset=UTF-8'],
      );
      const form = new URLSearchParams(body);
      assert.deepEqual([...form.keys()], ['user_id', 'oidc_claims']);
      assert.equal(form.get('user_id'), id);
      const { sub, name } = JSON.parse(form.get('oidc_claims')!) as Record<string, unknown>;
      assert.deepEqual([sub, name], ['asked', 'Asked']);

      callback.close();
      provider.people.set('unheard', { email: 'unheard@example.org', email_verified: true });
      await refused(13, signInAs(app, provider, 'unheard'));
      assert.equal((await app.call(user.list, { limit: 10 })).totalCount, '2');
    });
  });
}

for (const database of databases) {
  describe(`single sign-on with groups and invitations on ${database}`, () => {
    const oidcGroupRoles = JSON.stringify({
      operators: 'global-admin',
      farm: 'device-admin@farm, read-only@mill',
      millers: 'organization-admin@mill,user@nowhere',
    });
    let provider: OpenIDProvider;
    let app: TestApp;
    let farm: string;
    let mill: string;
    before(async () => {
      provider = await startOpenIDProvider({ redirectURL });
      app = await startTestApp(database, settingsFor(provider.issuer, { oidcGroupRoles }) as never);
      farm = await createOrganization(app, { name: 'farm' });
      mill = await createOrganization(app, { name: 'mill' });
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    });

    const claimsOf = (name: string, groups?: unknown) =>
      provider.people.set(name, { email: `${name}@example.org`, email_verified: true, groups });
    /** Signs in with these groups. Resolves with the memberships. */
    async function signInWith(name: string, groups?: unknown) {
      claimsOf(name, groups);
      const { user: self, organizations } = await app.call(internal.profile, {}, await signInAs(app, provider, name));
      const list = organizations.map(({ organizationName, isAdmin, isDeviceAdmin }) =>
        [organizationName, isAdmin && 'admin', isDeviceAdmin && 'device admin'].filter(Boolean).join(' '),
      );
      return { isAdmin: self!.isAdmin, list };
    }

    it('gives the memberships of the groups at each sign-in, and removes those that came from groups', async () => {
      await createUser(app, { email: 'ada@example.org', organizations: [] });
      assert.deepEqual((await signInWith('ada', ['farm', 'others'])).list, ['farm device admin', 'mill']);
      const members = app.parts.database.query.selectFrom('organization_user').select(['is_read_only', 'is_by_group']);
      const inMill = members.where('organization_id', '=', Number(mill));
      assert.deepEqual(await inMill.execute(), [{ is_read_only: true, is_by_group: true }]);
      assert.deepEqual((await signInWith('ada', ['farm', 'millers'])).list, ['farm device admin', 'mill admin']);
      assert.deepEqual((await signInWith('ada', 'millers')).list, ['mill admin']);
      assert.deepEqual((await signInWith('ada')).list, []);
    });

    it('leaves what was given by hand', async () => {
      await createUser(app, { email: 'grace@example.org', organizations: [{ organizationID: farm, isAdmin: true }] });
      assert.deepEqual((await signInWith('grace', ['farm'])).list, ['farm admin', 'mill']);
      assert.deepEqual((await signInWith('grace', [])).list, ['farm admin']);
    });

    it('gives and removes the role of global administrators, but not from the last one or from others', async () => {
      const { id } = await createUser(app, { email: 'root@example.org' });
      assert.equal((await signInWith('root', ['operators'])).isAdmin, true);
      assert.equal((await signInWith('root', [])).isAdmin, false);
      assert.equal((await signInWith('root', ['operators'])).isAdmin, true);
      const others = app.parts.database.query.updateTable('user').where('id', '!=', Number(id));
      await others.set({ is_active: false }).execute();
      assert.equal((await signInWith('root', [])).isAdmin, true);
      await others.set({ is_active: true }).execute();

      await createUser(app, { email: 'byhand@example.org', isAdmin: true });
      assert.equal((await signInWith('byhand', [])).isAdmin, true);
    });

    it('creates an account for invited people only, who then accept', async () => {
      claimsOf('invited');
      await refused(5, signInAs(app, provider, 'invited'));
      const { link } = await app.call(invitation.create, { organizationID: farm, email: 'Invited@example.org' });
      const token = link.split('#token=')[1]!;
      const register = await refused(9, app.call(invitation.register, { token, password: 'three long words' }, null));
      assert.equal(register.info?.reason, 'INVITATION_SIGN_ON');
      const jwt = await signInAs(app, provider, 'invited');
      assert.deepEqual(await app.call(invitation.accept, { token }, jwt), { organizationID: farm });
      // The groups of the next sign-in do not end a membership that came from an invitation.
      assert.deepEqual((await signInWith('invited', [])).list, ['farm']);
    });

    it('replaces the password that the holder of an invitation link chose', async () => {
      const { id, email, token, password } = await createUser(app, { email: 'taken@example.org' });
      const users = app.parts.database.query.updateTable('user').where('id', '=', Number(id));
      await users.set({ has_unproven_address: true }).execute();
      await signInWith('taken');
      await refused(16, app.call(internal.profile, {}, token));
      await refused(16, app.signIn(email, password));
    });
  });
}

describe('single sign-on failures', () => {
  it('has no addresses without a provider, and reports that', async () => {
    await using app = await startTestApp('sqlite');
    await refused(9, app.call(internal.openIDConnectLogin, { code: 'x', state: 'y' }, null));
    for (const path of ['/auth/oidc/login', '/auth/oidc/callback']) assert.equal((await app.fetch(path)).status, 404);
  });

  it('waits for a provider that is not running yet', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await using app = await startTestApp('sqlite', settingsFor(`http://127.0.0.1:${port}`) as never);
    const login = (accept: string) =>
      app.fetch('/auth/oidc/login', { redirect: 'manual', headers: { Accept: accept } });
    const answer = await login('*/*');
    assert.equal(answer.status, 503);
    assert.equal(((await answer.json()) as { code: number }).code, 14);
    const page = await login('text/html,*/*');
    assert.equal(page.status, 503);
    assert.match(await page.text(), /cannot be reached/);
  });

  it('reports that the provider stopped during a sign-in', async () => {
    const provider = await startOpenIDProvider({ redirectURL });
    await using app = await startTestApp('sqlite', settingsFor(provider.issuer) as never);
    const answer = await visit(app, provider, 'patient');
    await provider[Symbol.asyncDispose]();
    assert.match((await refused(14, finish(app, answer))).message, /cannot be reached/);
  });

  it('calls no registration callback at a private address unless a setting allows it', async () => {
    let isAsked = false;
    const callback = createServer((_request, response) => {
      isAsked = true;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(callback, 'listening');
    const { port } = callback.address() as AddressInfo;
    await using provider = await startOpenIDProvider({ redirectURL });
    const choices = { oidcRegistration: true, oidcRegistrationCallbackURL: `http://localhost:${port}/` };
    await using app = await startTestApp('sqlite', settingsFor(provider.issuer, choices) as never);
    provider.people.set('local', { email: 'local@example.org', email_verified: true });
    await refused(13, signInAs(app, provider, 'local'));
    assert.equal(isAsked, false);
    assert.equal((await app.call(user.list, { limit: 10 })).totalCount, '1');
    callback.close();
  });
});
