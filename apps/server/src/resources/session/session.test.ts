import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { systemClock } from '../../clock.ts';
import { describeAccess, everyUser, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { type CreatedUser, createUser } from '../../testing/factories.ts';
import { createGateway } from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const { internal, session } = operations;
const minute = 60_000;

for (const database of databases) {
  describe(`session on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database, { trustProxy: '127.0.0.0/8' });
    });
    after(() => app[Symbol.asyncDispose]());

    const profile = (token: string) => app.call(internal.profile, {}, token);
    const own = (token: string) => app.call(session.list, { limit: 10 }, token);
    async function signInFrom(address: string, agent: string, person: { email: string; password: string }) {
      const response = await app.fetch('/api/internal/login', {
        method: 'POST',
        headers: { 'X-Forwarded-For': address, 'User-Agent': agent },
        body: JSON.stringify(person),
      });
      return ((await response.json()) as { jwt: string }).jwt;
    }

    it('is listed for its user, with its address and a mark for the current one', async () => {
      const { email, password } = await createUser(app);
      const token = await signInFrom('2001:db8::7', `Mozilla/5.0 ${'x'.repeat(300)}`, { email, password });
      const { totalCount, result } = await own(token);
      assert.equal(totalCount, '2');
      const currentSession = result.find(({ isCurrent }) => isCurrent)!;
      assert.deepEqual([currentSession.address, currentSession.agent.length], ['2001:db8::7', 256]);
      assert.match(currentSession.agent, /^Mozilla\/5\.0 x/);
      const ms = (at: string | null) => Date.parse(at!);
      assert.ok(
        ms(currentSession.createdAt) <= ms(currentSession.lastUsedAt) &&
          ms(currentSession.lastUsedAt) < ms(currentSession.expiresAt),
      );
      assert.deepEqual(await app.call(session.list, {}, token), { totalCount: '2', result: [] });
    });

    it('is ended by its user only', async () => {
      const { email, password, token } = await createUser(app);
      const other = await app.signIn(email, password);
      const stranger = await createUser(app);
      const there = (await own(token)).result.find(({ isCurrent }) => !isCurrent)!;
      await refused(5, app.call(session.end, { id: there.id }, stranger.token));
      await refused(5, app.call(session.end, { id: there.id }));
      await profile(other);
      await app.call(session.end, { id: there.id }, token);
      await refused(16, profile(other));
      await refused(5, app.call(session.end, { id: there.id }, token));
      await profile(token);
    });

    it('stays when all others are ended', async () => {
      const { email, password, token } = await createUser(app);
      const stranger = await createUser(app);
      const others = [await app.signIn(email, password), await app.signIn(email, password)];
      await app.call(session.endOthers, {}, token);
      for (const other of others) await refused(16, profile(other));
      assert.deepEqual(
        (await own(token)).result.map(({ isCurrent }) => isCurrent),
        [true],
      );
      await profile(stranger.token);
    });

    it('is limited to a thousand per user: the oldest ends', async () => {
      const { id, email, password, token } = await createUser(app);
      const times = { created_at: new Date(), expires_at: new Date(Date.now() + minute), last_used_at: new Date() };
      const rows = Array.from({ length: 999 }, () => ({ ...times, id: crypto.randomUUID(), user_id: Number(id) }));
      await app.parts.database.query.insertInto('session').values(rows).execute();
      await profile(token);
      const newest = await app.signIn(email, password);
      assert.equal((await own(newest)).totalCount, '1000');
      await refused(16, own(token));
    });
  });

  describe(`an unused session on ${database}`, () => {
    let ahead = 0;
    let app: TestApp;
    let person: CreatedUser;
    let gatewayID: string;
    const clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
    before(async () => {
      app = await startTestApp(database, { sessionIdleMinutes: '30' }, { clock });
      person = await createUser(app, { isAdmin: true });
      gatewayID = await createGateway(app, '1');
    });
    after(() => app[Symbol.asyncDispose]());

    const ask = (token: string, headers: Record<string, string> = {}) =>
      app.fetch('/api/internal/profile', { headers: { Authorization: `Bearer ${token}`, ...headers } });

    it('ends after the time of the setting, and continues while it is used', async () => {
      const token = await app.signIn(person.email, person.password);
      for (let i = 0; i < 4; i++) {
        ahead += 20 * minute;
        assert.equal((await ask(token)).status, 200);
      }
      ahead += 32 * minute;
      assert.equal((await ask(token)).status, 401);
    });

    it('is not extended by automatic calls of the console, nor by a stream', async () => {
      const token = await app.signIn(person.email, person.password);
      await using stream = await watch(app.url, `/api/gateways/${gatewayID}/frames`, token);
      for (let i = 0; i < 3; i++) {
        ahead += 10 * minute;
        assert.equal((await ask(token, { 'Hilltop-Unattended': '1' })).status, 200);
      }
      ahead += 2 * minute;
      assert.equal((await ask(token, { 'Hilltop-Unattended': '1' })).status, 401);
      const { error } = await stream.next();
      assert.equal(error?.grpcCode, 16);
    });

    it('is not listed any more', async () => {
      await app.signIn(person.email, person.password);
      ahead += 60 * minute;
      const token = await app.signIn(person.email, person.password);
      assert.equal((await app.call(session.list, { limit: 10 }, token)).totalCount, '1');
    });
  });

  it(`a session on ${database} lasts no longer than the setting, also when it was opened before`, async () => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
    await using app = await startTestApp(database, { sessionMaxMinutes: '60' }, { clock });
    const { id, token } = await createUser(app, { sessionTTL: 600 });
    const [, body = ''] = token.split('.');
    const { nbf, exp } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { nbf: number; exp: number };
    assert.equal(exp - nbf, 60 * 60);
    const { token: shorter } = await createUser(app, { sessionTTL: 10 });
    const opened = new Date(Date.now() - 61 * minute);
    ahead = 4_000;
    await app.call(internal.profile, {}, token);
    await app.parts.database.query
      .updateTable('session')
      .set({ created_at: opened })
      .where('user_id', '=', Number(id))
      .execute();
    ahead = 8_000;
    await refused(16, app.call(internal.profile, {}, token));
    ahead = 11 * minute;
    await refused(16, app.call(internal.profile, {}, shorter));
  });

  it(`the sign-in page on ${database} knows the name of the installation and whether nobody has signed in`, async () => {
    await using app = await startTestApp(database, { brandingName: 'North valley' });
    const page = () => app.call(session.getSignInPage, {}, null);
    assert.deepEqual(await page(), { installationName: 'North valley', isFirstStart: false });
    const { id } = await createUser(app);
    await app.parts.database.query.deleteFrom('session').execute();
    assert.equal((await page()).isFirstStart, false);
    await app.parts.database.query.deleteFrom('user').where('id', '=', Number(id)).execute();
    assert.equal((await page()).isFirstStart, true);
    await app.parts.database.query.updateTable('user').set({ updated_at: new Date() }).execute();
    assert.equal((await page()).isFirstStart, false);
  });

  describeAccess(database, 'session', [
    row(session.list, () => ({}), everyUser, everyUser),
    row(session.endOthers, () => ({}), everyUser, everyUser),
    row(session.end, () => ({ id: crypto.randomUUID() }), everyUser, everyUser),
  ]);
}
