import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import pino from 'pino';
import { systemClock } from '../../clock.ts';
import { databases } from '../../testing/databases.ts';
import { createAPIKey, createUser } from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { adminEmail, adminPassword, startTestApp, type TestApp } from '../../testing/test-app.ts';

const { internal, user } = operations;

/** A stopped clock, so that no attempt is refilled while a slow machine handles the others. */
const stopped = { ...systemClock, monotonicMs: () => 0 };

for (const database of databases) {
  describe(`signing in on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    const profile = (token: string | null) => app.call(internal.profile, {}, token);
    const claims = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

    it('returns a token with the claims that clients of version 3 read', async () => {
      const token = await app.signIn(adminEmail, adminPassword);
      const { iss, aud, sub, username, id, nbf, exp, sid } = claims(token);
      assert.deepEqual([iss, aud, sub, username, id], ['as', 'as', 'user', adminEmail, 1]);
      assert.equal(Number(exp) - Number(nbf), 24 * 60 * 60);
      assert.match(String(sid), /^[0-9a-f-]{36}$/);
    });

    it('lasts as long as the setting of the user', async () => {
      const month = 31 * 24 * 60;
      for (const sessionTTL of [1, 10, month, 2 ** 31 - 1]) {
        const { email, password } = await createUser(app, { sessionTTL });
        const token = await app.signIn(email, password);
        const { nbf, exp } = claims(token);
        assert.equal(Number(exp) - Number(nbf), sessionTTL * 60);
        assert.equal((await profile(token)).user?.email, email);
      }
    });

    it('is counted and logged when the session exists, not before', async () => {
      const lines: string[] = [];
      const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
      await using broken = await startTestApp(database, {}, { log });
      const signInLines = () => lines.filter((line) => line.includes('signed in')).length;
      assert.equal(signInLines(), 1);
      await broken.parts.database.query.schema.dropTable('session').execute();
      await refused(13, broken.signIn(adminEmail, adminPassword));
      assert.equal(signInLines(), 1);
      assert.match(await broken.parts.metrics.text(), /sign_ins_total\{result="done"\} 1$/m);
    });

    it('succeeds when an earlier form of the password hash cannot be renewed, which is logged', async () => {
      const lines: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
      await using own = await startTestApp(database, {}, { log });
      const { id, email, password } = await createUser(own);
      const { query } = own.parts.database;
      const salt = randomBytes(16);
      const hash = pbkdf2Sync(password, salt, 1000, 64, 'sha512').toString('base64');
      const earlier = `PBKDF2$sha512$1000$${salt.toString('base64')}$${hash}`;
      const setHash = (to: string) => query.updateTable('user').set({ password_hash: to }).where('id', '=', Number(id));
      await setHash(earlier).execute();
      await sql
        .raw(
          database === 'sqlite'
            ? `create trigger no_room before update of password_hash on user begin select raise(abort, 'no room'); end`
            : `alter table "user" add constraint no_room check (password_hash like 'PBKDF2%') not valid`,
        )
        .execute(query);
      const renewals = () => lines.filter((line) => line.includes('a password hash could not be renewed'));
      await own.call(internal.profile, {}, await own.signIn(email, password));
      assert.equal(renewals().length, 1);
      assert.match(renewals()[0]!, /no.room/);
      await sql
        .raw(database === 'sqlite' ? 'drop trigger no_room' : 'alter table "user" drop constraint no_room')
        .execute(query);
      await own.signIn(email, password);
      assert.equal(renewals().length, 1);
      const { password_hash } = await query
        .selectFrom('user')
        .select('password_hash')
        .where('id', '=', Number(id))
        .executeTakeFirstOrThrow();
      assert.match(password_hash ?? '', /^\$argon2id\$/);
    });

    it('answers a wrong password and an unknown account the same way', async () => {
      const { email } = await createUser(app);
      const wrong = await refused(16, app.signIn(email, 'wrong password'));
      const nobody = await refused(16, app.signIn('nobody@example.org', 'wrong password'));
      assert.equal(wrong.message, nobody.message);
      await refused(16, app.signIn('', ''));
    });

    it('accepts the token in either header, with or without Bearer', async () => {
      for (const headers of [
        { 'Grpc-Metadata-Authorization': `Bearer ${app.adminToken}` },
        { 'Grpc-Metadata-Authorization': app.adminToken },
        { Authorization: `bearer ${app.adminToken}` },
      ]) {
        const response = await app.fetch('/api/internal/profile', { headers });
        assert.equal(response.status, 200);
      }
    });

    it('refuses tokens of other servers', async () => {
      const secret = app.parts.secrets.tokenKey;
      const good = claims(app.adminToken);
      const sign = (changes: object, { alg = 'HS256', key = secret } = {}) =>
        new SignJWT({ ...good, ...changes }).setProtectedHeader({ alg }).sign(key);
      await profile(await sign({}));
      const [head, body] = app.adminToken.split('.');
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      const forged = [
        await sign({}, { key: new TextEncoder().encode('another secret of enough length!!') }),
        await sign({}, { alg: 'HS512', key: Buffer.concat([secret, secret]) }),
        await sign({ aud: ['as'] }),
        await sign({ aud: 'other' }),
        await sign({ iss: 'other' }),
        await sign({ exp: Math.floor(Date.now() / 1000) - 1 }),
        await sign({ nbf: Math.floor(Date.now() / 1000) + 60 }),
        await sign({ sid: undefined }),
        await sign({ sid: crypto.randomUUID() }),
        await sign({ username: 'somebody@example.org' }),
        await sign({ sub: 'robot' }),
        await sign({ sub: 'api_key', api_key_id: crypto.randomUUID() }),
        `${none}.${body}.`,
        `${head}.${body}.`,
        'nonsense',
      ];
      for (const token of forged) await refused(16, profile(token));
      await refused(16, profile(null));
    });

    it('ends with a sign-out, for this session only', async () => {
      const { email, password, token } = await createUser(app);
      const other = await app.signIn(email, password);
      const signOut = () =>
        app.fetch('/api/internal/logout', { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
      const answer = await signOut();
      assert.deepEqual([answer.status, answer.headers.get('Clear-Site-Data')], [200, '"cache"']);
      await refused(16, profile(token));
      assert.equal((await signOut()).status, 401);
      await profile(other);
    });

    it('ends when it expires', async () => {
      const { id, token } = await createUser(app);
      await app.parts.database.query
        .updateTable('session')
        .set({ expires_at: new Date(0) })
        .where('user_id', '=', Number(id))
        .execute();
      await refused(16, profile(token));
    });

    it('is throttled after ten wrong passwords, for that account only', async () => {
      await using throttled = await startTestApp(database, {}, { clock: stopped });
      const { email, password } = await createUser(throttled);
      for (let i = 0; i < 10; i++) await refused(16, throttled.signIn(email, 'wrong password'));
      const response = await throttled.fetch('/api/internal/login', {
        method: 'POST',
        body: JSON.stringify({ email: email.toUpperCase(), password }),
      });
      assert.equal(response.status, 429);
      assert.ok(Number(response.headers.get('Retry-After')) > 0);
      assert.equal(((await response.json()) as { code: number }).code, 8);
      await throttled.signIn(adminEmail, adminPassword);
    });

    it('is throttled after thirty wrong passwords from one address', async () => {
      await using throttled = await startTestApp(database, {}, { clock: stopped });
      const { token } = await createUser(throttled);
      const newcomer = { email: 'newcomer@example.org', password: 'a long password' };
      await throttled.call(user.create, {
        user: { email: newcomer.email, isActive: true },
        password: newcomer.password,
      });
      for (let i = 0; i < 30; i++) await refused(16, throttled.signIn(`nobody-${i}@example.org`, 'wrong password'));
      await refused(8, throttled.signIn(newcomer.email, newcomer.password));
      await throttled.signIn(adminEmail, adminPassword);
      await throttled.call(internal.profile, {}, token);
    });

    it('is logged with account and address, never with the typed text', async () => {
      const lines: Record<string, unknown>[] = [];
      const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
      await using logged = await startTestApp(database, { trustProxy: '127.0.0.0/8' }, { log });
      const { id, email, password } = await createUser(logged);
      await logged.call(user.update, { user: { id, email, isActive: true } });
      lines.length = 0;
      const signIn = async (words: object) =>
        (
          await logged.fetch('/api/internal/login', {
            method: 'POST',
            headers: { 'X-Forwarded-For': '192.0.2.7' },
            body: JSON.stringify(words),
          })
        ).json() as Promise<{ jwt: string }>;
      const { jwt } = await signIn({ email, password });
      await signIn({ email, password: 'canary-in-the-password' });
      await signIn({ email: 'canary-in-the-name', password: 'x' });
      await logged.call(user.update, { user: { id, email, isActive: false } });
      await signIn({ email, password });
      const signInRecords = lines
        .filter(({ msg }) => ['signed in', 'sign-in refused'].includes(String(msg)))
        .map(({ msg, account, address, result }) => [msg, account, address, result]);
      const [account, address] = [`user ${id}`, '192.0.2.7'];
      assert.deepEqual(signInRecords, [
        ['signed in', account, address, undefined],
        ['sign-in refused', account, address, 'refused'],
        ['sign-in refused', 'unknown', address, 'refused'],
        ['sign-in refused', account, address, 'inactive'],
      ]);
      const all = JSON.stringify(lines);
      for (const secret of ['canary', password, jwt]) assert.ok(!all.includes(secret));
    });

    it('needs no session row for an API key, whose own row counts', async () => {
      const { id, token } = await createAPIKey(app, { isAdmin: true });
      assert.deepEqual([claims(token)['sub'], claims(token)['exp']], ['api_key', undefined]);
      await app.call(user.list, {}, token);
      await app.call(internal.deleteAPIKey, { id });
      await refused(16, app.call(user.list, {}, token));
    });
  });
}
