import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allOperations, operations } from '@hilltop/contract';
import pino from 'pino';
import { systemClock } from '../../clock.ts';
import { admins, describeAccess, everyUser, row } from '../../testing/access-matrix.ts';
import { bytesOfBase32, codeAt } from '../../testing/authenticator.ts';
import { CallError } from '../../testing/client.ts';
import { databases } from '../../testing/databases.ts';
import { type CreatedUser, createUser } from '../../testing/factories.ts';
import { startMailServer } from '../../testing/mail-server.ts';
import { wellMeant } from '../../testing/odd-requests.ts';
import { refused } from '../../testing/refused.ts';
import { noInstances, startInstances, startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const { internal, secondFactor, session, user } = operations;
const minute = 60_000;

/** A global administrator with a password. The first administrator counts as one of single sign-on. */
async function createAdministrator(app: TestApp): Promise<CreatedUser> {
  const { database, principals } = app.parts;
  await database.query.updateTable('session').set({ is_single_sign_on: true }).where('user_id', '=', 1).execute();
  principals.changed('1');
  return createUser(app, { isAdmin: true });
}

/** An authenticator app: the code of its time plus `seconds`. */
type Phone = (seconds?: number) => string;

for (const database of databases) {
  describe(`a second factor on ${database}`, () => {
    let app: TestApp;
    let ahead = 0;
    const lines: string[] = [];
    const clock = { ...systemClock, now: () => new Date(1_800_000_000_000 + ahead), monotonicMs: () => ahead };
    before(async () => {
      const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
      app = await startTestApp(database, { brandingName: 'North valley', trustProxy: '127.0.0.0/8' }, { clock, log });
    });
    after(() => app[Symbol.asyncDispose]());

    const later = (ms: number) => (ahead += ms);
    const login = async ({ email, password }: CreatedUser, otp?: string, of = app) =>
      (await of.call(internal.login, { email, password, ...(otp !== undefined && { otp }) }, null)).jwt;
    const profile = (token: string) => app.call(internal.profile, {}, token);
    const phoneOf =
      (secret: string): Phone =>
      (seconds = 0) =>
        codeAt(secret, new Date(clock.now().getTime() + seconds * 1000));
    async function setUp(someone: CreatedUser, of = app) {
      const { secret, uri } = await of.call(secondFactor.create, { password: someone.password }, someone.token);
      const phone = phoneOf(secret);
      const { recoveryCodes } = await of.call(secondFactor.confirm, { code: phone() }, someone.token);
      later(minute);
      return { phone, recoveryCodes, uri, secret };
    }

    it('is set up with a first code, and then asked for at sign-in', async () => {
      const someone = await createUser(app);
      const { secret, uri } = await app.call(secondFactor.create, { password: someone.password }, someone.token);
      assert.match(
        uri,
        /^otpauth:\/\/totp\/North%20valley:user-\d+%40example\.org\?secret=[A-Z2-7]{32}&issuer=North%20valley$/,
      );
      await login(someone);
      const phone = phoneOf(secret);
      await refused(3, app.call(secondFactor.confirm, { code: phone(-minute * 10) }, someone.token));
      const { recoveryCodes } = await app.call(secondFactor.confirm, { code: phone() }, someone.token);
      assert.equal(recoveryCodes.length, 10);
      const needed = await refused(9, login(someone));
      assert.equal(needed.info?.reason, 'SECOND_FACTOR_NEEDED');
      assert.match(needed.message, /^This account needs a second step\. Use an API key for scripts\./);
      later(30_000);
      await profile(await login(someone, phone()));
      const { isOn, since, recoveryCodesLeft, isRequired, isAvailable } = await app.call(
        secondFactor.get,
        {},
        someone.token,
      );
      assert.deepEqual([isOn, recoveryCodesLeft, isRequired, isAvailable], [true, 10, false, true]);
      assert.ok(since);
      await refused(9, app.call(secondFactor.create, { password: someone.password }, someone.token));
    });

    it('is asked for after the right password only', async () => {
      const someone = await createUser(app);
      const { phone } = await setUp(someone);
      const wrong = await refused(16, login({ ...someone, password: 'another one' }, phone()));
      assert.equal(wrong.info?.reason, 'WRONG_PASSWORD');
      assert.equal((await refused(16, login({ ...someone, password: 'another one' }))).message, wrong.message);
      await login(someone, phone());
    });

    it('ends the other sessions when it is turned on', async () => {
      const someone = await createUser(app);
      const other = await login(someone);
      await setUp(someone);
      await refused(16, profile(other));
      await profile(someone.token);
    });

    it('accepts a code once, with a clock that is 30 s off, and not with one that is 90 s off', async () => {
      const someone = await createUser(app);
      const { phone } = await setUp(someone);
      for (const seconds of [-90, 90]) {
        const { message, fieldViolations } = await refused(3, login(someone, phone(seconds)));
        assert.match(message, /check the clock of the phone/);
        assert.equal(fieldViolations[0]?.field, 'otp');
      }
      for (const seconds of [-30, 0, 30]) {
        await login(someone, phone(seconds));
        const again = await refused(3, login(someone, phone(seconds)));
        assert.equal(again.info?.reason, 'SECOND_FACTOR_USED');
      }
      // An earlier code than the last one does not count any more.
      await refused(3, login(someone, phone()));
      later(minute);
      await login(someone, ` ${phone().slice(0, 3)} ${phone().slice(3)}`);
    });

    it('accepts one of several sign-ins at once with the same code', async () => {
      const someone = await createUser(app);
      const { phone } = await setUp(someone);
      const results = await Promise.allSettled(Array.from({ length: 4 }, () => login(someone, phone())));
      assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected', 'rejected']);
    });

    it('is replaced by a recovery code, once, in any spelling', async () => {
      const someone = await createUser(app);
      const { recoveryCodes } = await setUp(someone);
      const [one, two] = recoveryCodes as [string, string];
      await login(someone, one);
      const { info } = await refused(3, login(someone, one));
      assert.equal(info?.reason, 'RECOVERY_CODE_WRONG');
      const token = await login(someone, two.replaceAll('-', ' ').toUpperCase());
      assert.equal((await app.call(secondFactor.get, {}, token)).recoveryCodesLeft, 8);
    });

    it('refuses the eleventh wrong code in a minute, and lets the owner in at a known browser', async () => {
      const someone = await createUser(app);
      const { phone } = await setUp(someone);
      const from = (address: string, otp: string, cookie = '') =>
        app.fetch('/api/internal/login', {
          method: 'POST',
          headers: { Cookie: cookie, 'X-Forwarded-For': address },
          body: JSON.stringify({ email: someone.email, password: someone.password, otp }),
        });
      const own = await from('192.0.2.7', phone());
      const cookie = own.headers.get('set-cookie')!.split(';')[0]!;
      later(minute);
      for (let tries = 0; tries < 10; tries++) await refused(3, login(someone, '000000'));
      const waiting = await refused(8, login(someone, phone()));
      assert.match(waiting.message, /Too many wrong codes\. Try again in \d+ s\./);
      later(6_000);
      assert.equal((await from('192.0.2.7', phone(), cookie)).status, 200);
    });

    it('is turned off with password and code, and its recovery codes are replaced with both', async () => {
      const someone = await createUser(app);
      const { password, token } = someone;
      const { phone, recoveryCodes } = await setUp(someone);
      await refused(3, app.call(secondFactor.createRecoveryCodes, { password: 'wrong one', code: phone() }, token));
      const renewed = await app.call(secondFactor.createRecoveryCodes, { password, code: phone() }, token);
      await refused(3, login(someone, recoveryCodes[0]));
      for (const proof of [
        { password },
        { code: phone() },
        { password: 'wrong one', code: phone() },
        { password, code: phone() },
      ])
        await refused(3, app.call(secondFactor.remove, proof, token));
      await app.call(secondFactor.remove, { password, code: renewed.recoveryCodes[0] }, token);
      await login(someone);
      await refused(9, app.call(secondFactor.remove, { password, code: phone() }, token));
    });

    it('is not available without a password', async () => {
      const someone = await createUser(app);
      const users = app.parts.database.query.updateTable('user').set({ password_hash: null });
      await users.where('id', '=', Number(someone.id)).execute();
      assert.equal((await app.call(secondFactor.get, {}, someone.token)).isAvailable, false);
      await refused(9, app.call(secondFactor.create, { password: 'any one' }, someone.token));
    });

    it('is listed, and reset by an administrator, not by its own', async () => {
      const someone = await createUser(app, { isAdmin: true });
      await setUp(someone);
      const { result } = await app.call(user.list, { search: someone.email, limit: 1, include: ['secondFactor'] });
      assert.deepEqual([result[0]?.hasSecondFactor, result[0]?.organizationCount], [true, undefined]);
      assert.equal((await app.call(secondFactor.getOfUser, { userID: someone.id })).isOn, true);
      await refused(3, app.call(secondFactor.reset, { userID: someone.id }, someone.token));
      await app.call(secondFactor.reset, { userID: someone.id });
      await refused(16, profile(someone.token));
      await profile(await login(someone));
      await refused(9, app.call(secondFactor.reset, { userID: someone.id }));
    });

    it('shows no secret in the log, in errors or in the database', async () => {
      const someone = await createUser(app);
      const { phone, recoveryCodes, secret } = await setUp(someone);
      const code = phone();
      const failure = await refused(
        3,
        app.call(secondFactor.remove, { password: 'hidden password', code }, someone.token),
      );
      await login(someone, code);
      const raw = bytesOfBase32(secret);
      const { query } = app.parts.database;
      const rows = [
        ...(await query.selectFrom('second_factor').selectAll().execute()),
        ...(await query.selectFrom('recovery_code').selectAll().execute()),
      ];
      const stored = Buffer.from(rows.map((one) => Object.values(one).map(String).join()).join());
      const factors = rows.flatMap((one) => ('secret' in one ? [Buffer.from(one.secret)] : []));
      for (const bytes of factors) assert.ok(!bytes.includes(raw));
      const texts = `${lines.join('')}${failure.message}${stored.toString()}`;
      const hidden = [
        secret,
        code,
        'hidden password',
        ...recoveryCodes,
        ...recoveryCodes.map((one) => one.replaceAll('-', '')),
      ];
      for (const text of hidden) assert.ok(!texts.includes(text), text);
    });

    describeAccess(database, 'secondFactor', [
      row(secondFactor.get, () => ({}), everyUser, everyUser),
      row(secondFactor.create, () => ({ password: 'a long password' }), everyUser, everyUser),
      row(secondFactor.confirm, () => ({ code: '000000' }), everyUser, everyUser),
      row(secondFactor.remove, () => ({ password: 'any one', code: '000000' }), everyUser, everyUser),
      row(secondFactor.createRecoveryCodes, () => ({ password: 'any one', code: '000000' }), everyUser, everyUser),
      row(secondFactor.getOfUser, ({ memberID }) => ({ userID: memberID }), admins),
      row(secondFactor.reset, ({ memberID }) => ({ userID: memberID }), admins),
    ]);
  });

  describe(`a required second factor on ${database}`, () => {
    it('lets a session without one set it up and nothing else, by REST and on a stream', async () => {
      await using app = await startTestApp(database, { requireSecondFactor: 'all' }, { clock: systemClock });
      const [admin, other] = [await createAdministrator(app), await createAdministrator(app)];
      const isPublic = (one: (typeof allOperations)[number]) =>
        one.access.cases.every(({ allow }) => allow.includes('public'));
      const allowed: string[] = [];
      const known = { devEUI: '0102030405060708', gatewayID: '0102030405060708', id: '1', userID: '1' };
      for (const operation of allOperations.filter((one) => !isPublic(one) && !one.stream)) {
        const call = app.call(operation, wellMeant(operation.request, known) as never, other.token);
        const { reason } = await call.then(
          () => ({ reason: 'done' }),
          (error: unknown) => ({ reason: error instanceof CallError ? String(error.info?.reason) : String(error) }),
        );
        // Requests are parsed before access is checked; `access.test.ts` has every operation.
        if (!['SECOND_FACTOR_REQUIRED', 'INVALID_FIELDS'].includes(reason)) allowed.push(operation.key);
      }
      assert.deepEqual(allowed, [
        'internal.profile',
        'secondFactor.get',
        'secondFactor.create',
        'secondFactor.confirm',
      ]);
      await using stream = await watch(app.url, '/api/gateways/0102030405060708/frames', admin.token);
      assert.equal((await stream.next()).error?.grpcCode, 7);

      const { secret } = await app.call(secondFactor.create, { password: admin.password }, admin.token);
      const code = codeAt(secret, new Date());
      await app.call(secondFactor.confirm, { code }, admin.token);
      await app.call(user.list, {}, admin.token);
      await refused(7, app.call(user.list, {}, other.token));
      await refused(7, app.call(session.list, {}, other.token));
    });

    it('is asked of global administrators only, and not of sessions by single sign-on, by its settings', async () => {
      await using app = await startTestApp(database, { requireSecondFactor: 'admins' });
      const admin = await createAdministrator(app);
      await refused(7, app.call(user.list, {}, admin.token));
      const sessions = app.parts.database.query.updateTable('session').where('user_id', '=', Number(admin.id));
      await sessions.set({ is_single_sign_on: true }).execute();
      app.parts.principals.changed(admin.id);
      await app.call(user.list, {}, admin.token);
      const users = app.parts.database.query.updateTable('user').set({ is_admin: false });
      await users.where('id', '=', Number(admin.id)).execute();
      await sessions.set({ is_single_sign_on: false }).execute();
      app.parts.principals.changed(admin.id);
      await app.call(operations.organization.list, {}, admin.token);
    });
  });

  it(`changes of password, second factor and address on ${database} send the user a mail`, async () => {
    await using smtp = await startMailServer();
    const mailSettings = { smtpURL: smtp.url, smtpFrom: 'Hilltop <alerts@example.org>' };
    await using app = await startTestApp(database, mailSettings);
    const { id, email, password, token } = await createUser(app);
    const subjects: string[] = [];
    const isMailed = async (subject: string) => {
      subjects.push(`[Hilltop] ${subject}`);
      while (smtp.mails.length < subjects.length) await new Promise((resolve) => setImmediate(resolve));
    };
    const { secret } = await app.call(secondFactor.create, { password }, token);
    const start = Date.now();
    const proof = (step: number) => ({ password, code: codeAt(secret, new Date(start + step * 30_000)) });
    await app.call(secondFactor.confirm, { code: proof(-1).code }, token);
    await isMailed('Second factor turned on');
    await app.call(secondFactor.createRecoveryCodes, proof(0), token);
    await isMailed('New recovery codes');
    await app.call(secondFactor.remove, proof(1), token);
    await isMailed('Second factor turned off');
    const { secret: another } = await app.call(secondFactor.create, { password }, token);
    await app.call(secondFactor.confirm, { code: codeAt(another, new Date()) }, token);
    await isMailed('Second factor turned on');
    await app.call(secondFactor.reset, { userID: id });
    await isMailed('Second factor turned off');
    await app.call(user.updatePassword, { userId: id, password: 'a first long password' });
    await isMailed('Password changed');
    const { user: stored } = await app.call(user.get, { id });
    await app.call(user.update, { user: { ...stored, note: 'the same address' } });
    await app.call(user.update, { user: { ...stored, email: 'attacker@example.org' } });
    // To the former address.
    await isMailed('E-mail address changed');
    assert.deepEqual(
      smtp.mails.map(({ to, subject }) => [to, subject]),
      subjects.map((subject) => [[email], subject]),
    );
    assert.ok(!smtp.mails.some(({ text }) => text.includes('long password') || text.includes(secret)));
    // It does not depend on the mail.
    await smtp.stop();
    await app.call(user.updatePassword, { userId: id, password: 'another long password' });
    const failed = 'hilltop_account_mails_total{result="failed"} 1\n';
    while (!(await app.parts.metrics.text()).includes(failed)) await new Promise((resolve) => setImmediate(resolve));
  });
}

describe('a second factor of several instances', { skip: noInstances }, () => {
  it('counts codes and wrong codes together', async () => {
    const clock = { ...systemClock, monotonicMs: () => 0 };
    await using instances = await startInstances(2, {}, { clock });
    const [one, other] = instances.apps as [TestApp, TestApp];
    const someone = await createUser(one);
    const { email, password } = someone;
    const { secret } = await one.call(secondFactor.create, { password }, someone.token);
    const code = codeAt(secret, new Date());
    await other.call(secondFactor.confirm, { code }, someone.token);
    const login = (app: TestApp, otp: string) => app.call(internal.login, { email, password, otp }, null);
    assert.equal((await refused(3, login(one, code))).info?.reason, 'SECOND_FACTOR_USED');
    for (let tries = 0; tries < 9; tries++) await refused(3, login(tries % 2 ? one : other, '000000'));
    await refused(8, login(one, '000000'));
    await refused(8, login(other, '000000'));
  });
});
