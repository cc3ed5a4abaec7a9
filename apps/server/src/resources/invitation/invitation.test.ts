import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mostInvitations, operations } from '@hilltop/contract';
import { allowedAddresses } from '../../alerts/receivers.ts';
import { systemClock } from '../../clock.ts';
import { describeAccess, everyUser, people, row, type Side } from '../../testing/access-matrix.ts';
import type { CallError } from '../../testing/client.ts';
import { databases } from '../../testing/databases.ts';
import { createApplication, createOrganization, createUser } from '../../testing/factories.ts';
import { startMailServer, type TestMailServer } from '../../testing/mail-server.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { invitation, organization, user, internal, application } = operations;
const password = 'three long words';

let made = 0;
const freshAddress = () => `invited-${++made}@example.org`;
const tokenIn = (link: string) => link.split('#token=')[1]!;

for (const database of databases) {
  describe(`invitations on ${database}`, () => {
    let app: TestApp;
    let mail: TestMailServer;
    let monotonicAheadMs = 0;
    before(async () => {
      mail = await startMailServer();
      const clock = {
        ...systemClock,
        monotonicMs: () => systemClock.monotonicMs() + monotonicAheadMs,
      };
      const settings = { smtpURL: mail.url, smtpFrom: 'hilltop@example.org', publicURL: 'https://hilltop.example.org' };
      app = await startTestApp(database, settings, { clock });
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
    });

    /** An organization with an administrator who invites. */
    async function createInviter() {
      const organizationID = await createOrganization(app);
      const inviter = await createUser(app, { organizations: [{ organizationID, isAdmin: true }] });
      const invite = (email = freshAddress(), rest: object = {}) =>
        app.call(invitation.create, { organizationID, email, ...rest }, inviter.token);
      const listed = async () =>
        (await app.call(invitation.list, { organizationID, limit: 100 }, inviter.token)).result;
      return { organizationID, inviter, invite, listed };
    }
    /** The token of the last mail. */
    function mailedToken(): string {
      const text = mail.mails.at(-1)!.text.replaceAll('=\r\n', '').replaceAll('=3D', '=');
      return /https:\/\/hilltop\.example\.org\/invitation#token=([\w-]{43})/.exec(text)?.[1] ?? '';
    }
    const preview = async (token: string) => (await app.call(invitation.preview, { token }, null)).invitation!;
    const register = (token: string, by = password) => app.call(invitation.register, { token, password: by }, null);

    it('create an account with the rights of the invitation, once', async () => {
      const { organizationID, inviter, invite, listed } = await createInviter();
      const email = freshAddress();
      const { id, link } = await invite(email, { isDeviceAdmin: true });
      assert.match(link, /^https:\/\/hilltop\.example\.org\/invitation#token=[\w-]{43}$/);
      const [open] = await listed();
      assert.deepEqual(
        [open!.id, open!.email, open!.invitedBy, open!.isDeviceAdmin, open!.isExpired, open!.mailedAt],
        [id, email, inviter.email, true, false, null],
      );
      const seen = await preview(tokenIn(link));
      assert.deepEqual(
        [seen.email, seen.invitedBy, seen.isAdmin, seen.isDeviceAdmin],
        [email, inviter.email, false, true],
      );

      assert.deepEqual((await refused(3, register(tokenIn(link), 'password1'))).fieldViolations[0]?.field, 'password');
      const [one, other] = await Promise.allSettled([register(tokenIn(link)), register(tokenIn(link))]);
      const done = [one, other].filter(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<{
        jwt: string;
      }>[];
      assert.equal(done.length, 1);
      const { user: self, organizations } = await app.call(internal.profile, {}, done[0]!.value.jwt);
      assert.equal(self!.email, email);
      assert.deepEqual(
        organizations.map((link) => [link.organizationID, link.isAdmin, link.isDeviceAdmin, link.isGatewayAdmin]),
        [[organizationID, false, true, false]],
      );
      await app.signIn(email, password);
      assert.deepEqual(await listed(), []);
      assert.equal((await refused(9, preview(tokenIn(link)))).info?.reason, 'INVITATION_USED');
    });

    it('add an existing user who signs in with the invited address, and nobody else', async () => {
      const { organizationID, invite } = await createInviter();
      const invited = await createUser(app);
      const { link } = await invite(invited.email.toUpperCase());
      const token = tokenIn(link);
      assert.equal((await refused(6, register(token))).info?.reason, 'INVITATION_ACCOUNT_EXISTS');
      const stranger = await createUser(app);
      const other = await refused(9, app.call(invitation.accept, { token }, stranger.token));
      assert.equal(other.info?.reason, 'INVITATION_OTHER_ADDRESS');
      await refused(16, app.call(invitation.accept, { token }, null));
      assert.deepEqual(await app.call(invitation.accept, { token }, invited.token), { organizationID });
      assert.equal((await app.call(organization.list, { limit: 10 }, invited.token)).totalCount, '1');
      assert.equal(
        (await refused(9, app.call(invitation.accept, { token }, invited.token))).info?.reason,
        'INVITATION_USED',
      );
      const again = await refused(6, invite(invited.email));
      assert.equal(again.info?.reason, 'MEMBER_ALREADY');
    });

    it('are answered alike whether the address has an account or not', async () => {
      const { invite, listed } = await createInviter();
      const known = await createUser(app);
      const shapes = [await invite(known.email), await invite()].map(({ link, mailProblem }) => [
        link.length,
        mailProblem,
      ]);
      assert.deepEqual(shapes[0], shapes[1]);
      const [one, other] = await listed();
      assert.deepEqual(Object.keys(one!), Object.keys(other!));
    });

    it('carry the limits of the membership, also when a named application is deleted meanwhile', async () => {
      const { organizationID, inviter, invite } = await createInviter();
      const limited = await createApplication(app, { organizationID });
      const foreign = await createApplication(app);
      const refusedBy = async (rights: object) => (await refused(3, invite(freshAddress(), rights))).info?.reason;
      assert.equal(await refusedBy({ isReadOnly: true, isDeviceAdmin: true }), 'READ_ONLY_WITH_ROLE');
      assert.equal(await refusedBy({ applicationIDs: [foreign] }), 'NOT_OF_ORGANIZATION');

      const { link } = await invite(freshAddress(), { isReadOnly: true, applicationIDs: [limited] });
      assert.deepEqual((await preview(tokenIn(link))).applicationIDs, [limited]);
      await app.call(application.delete, { id: limited });
      const { jwt } = await register(tokenIn(link));
      const { user: self } = await app.call(internal.profile, {}, jwt);
      const member = { organizationID, userID: self!.id, include: 'limits' } as const;
      const { organizationUser } = await app.call(organization.getUser, member, inviter.token);
      assert.equal(organizationUser?.isReadOnly, true);
      assert.deepEqual(organizationUser?.applicationIDs, [limited]);
      await refused(7, app.call(organization.listUsers, { organizationID, limit: 1 }, jwt));
    });

    it('end when a member was added otherwise', async () => {
      const { organizationID, invite } = await createInviter();
      const invited = await createUser(app);
      const { link } = await invite(invited.email);
      await app.call(organization.addUser, { organizationUser: { organizationID, email: invited.email } });
      const late = await refused(6, app.call(invitation.accept, { token: tokenIn(link) }, invited.token));
      assert.equal(late.info?.reason, 'MEMBER_ALREADY');
    });

    it('are refused when revoked, expired, renewed or unknown, each with its reason', async () => {
      const { organizationID, inviter, invite, listed } = await createInviter();
      const why = async (token: string) => {
        const reasonOf = (call: Promise<unknown>) =>
          call.then(
            () => 'none',
            (error: CallError) => error.info?.reason,
          );
        const reason = await reasonOf(preview(token));
        assert.equal(await reasonOf(register(token)), reason);
        return reason;
      };
      const revoked = await invite();
      await app.call(invitation.delete, { organizationID, id: revoked.id }, inviter.token);
      assert.equal(await why(tokenIn(revoked.link)), 'INVITATION_REVOKED');
      await refused(5, app.call(invitation.delete, { organizationID, id: revoked.id }, inviter.token));
      await refused(5, app.call(invitation.renew, { organizationID, id: revoked.id }, inviter.token));

      const renewed = await invite();
      const next = await app.call(invitation.renew, { organizationID, id: renewed.id }, inviter.token);
      assert.equal(await why(tokenIn(renewed.link)), 'INVITATION_UNKNOWN');
      assert.equal((await preview(tokenIn(next.link))).invitedBy, inviter.email);
      assert.equal(await why('x'.repeat(43)), 'INVITATION_UNKNOWN');

      const expired = await invite();
      const rows = app.parts.database.query.updateTable('invitation').set({ expires_at: new Date(Date.now() - 1) });
      await rows.where('id', '=', expired.id).execute();
      assert.equal(await why(tokenIn(expired.link)), 'INVITATION_EXPIRED');
      assert.deepEqual(
        (await listed()).map(({ isExpired }) => isExpired),
        [true, false],
      );
      const fresh = await app.call(invitation.renew, { organizationID, id: expired.id }, inviter.token);
      await preview(tokenIn(fresh.link));
      assert.equal((await listed()).length, 2);
    });

    it('are refused when their inviter is no organization admin any more, and go with the account of the inviter', async () => {
      const { organizationID, inviter, invite } = await createInviter();
      const { link } = await invite();
      const demoted = { organizationID, userID: inviter.id, isDeviceAdmin: true };
      await app.call(organization.updateUser, { organizationUser: demoted });
      assert.equal((await refused(9, register(tokenIn(link)))).info?.reason, 'INVITATION_INVITER');
      await app.call(organization.updateUser, { organizationUser: { ...demoted, isAdmin: true } });
      await preview(tokenIn(link));
      await app.call(user.update, { user: { id: inviter.id, email: inviter.email, isActive: false } });
      assert.equal((await refused(9, preview(tokenIn(link)))).info?.reason, 'INVITATION_INVITER');
      await app.call(user.delete, { id: inviter.id });
      assert.equal((await refused(5, preview(tokenIn(link)))).info?.reason, 'INVITATION_UNKNOWN');
    });

    it('are limited, unique by address, and go with the organization', async () => {
      const { organizationID, invite } = await createInviter();
      const first = await invite('One@example.org');
      assert.equal((await refused(6, invite('one@EXAMPLE.org'))).info?.reason, 'INVITATION_OPEN');
      assert.equal((await refused(3, invite('admin'))).fieldViolations[0]?.field, 'email');
      const { query } = app.parts.database;
      const row = await query.selectFrom('invitation').selectAll().where('id', '=', first.id).executeTakeFirstOrThrow();
      const others = Array.from({ length: mostInvitations - 3 }, (_, at) => `${at}`);
      const rows = others.map((id) => ({ ...row, id, token_hash: id, email: `${id}@example.org` }));
      await query.insertInto('invitation').values(rows).execute();
      const tries = await Promise.allSettled(Array.from({ length: 4 }, () => invite()));
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 2);
      assert.equal((await refused(9, invite())).info?.reason, 'TOO_MANY_INVITATIONS');
      await app.call(organization.delete, { id: organizationID });
      assert.equal((await refused(5, preview(tokenIn(first.link)))).info?.reason, 'INVITATION_UNKNOWN');
    });

    it('are mailed without showing the link to the inviter, and prove the address', async () => {
      const { organizationID, inviter, invite, listed } = await createInviter();
      const email = freshAddress();
      const { id, link } = await invite(email, { isMailed: true });
      assert.equal(link, '');
      assert.notEqual((await listed())[0]!.mailedAt, null);
      const received = mail.mails.at(-1)!;
      assert.deepEqual(received.to, [email]);
      assert.match(received.subject, /=22organization-\d+=22/);
      await register(mailedToken());
      const row = app.parts.database.query.selectFrom('user').select(['email_verified', 'has_unproven_address']);
      const proven = await row.where('email', '=', email).executeTakeFirstOrThrow();
      assert.deepEqual(proven, { email_verified: true, has_unproven_address: false });

      mail.reply = 554;
      const failed = await invite(freshAddress(), { isMailed: true });
      mail.reply = 250;
      assert.match(failed.mailProblem, /refused/);
      await register(tokenIn(failed.link));
      await refused(5, app.call(invitation.renew, { organizationID, id, isMailed: true }, inviter.token));
    });

    it('leave an account of a handed-over link to the person who proves to own the address', async () => {
      const { organizationID, inviter, invite } = await createInviter();
      const email = freshAddress();
      const intruder = await register(tokenIn((await invite(email)).link));
      const elsewhere = await createInviter();
      const add = { organizationUser: { organizationID: elsewhere.organizationID, email } };
      const unproven = await refused(9, app.call(organization.addUser, add, elsewhere.inviter.token));
      assert.equal(unproven.info?.reason, 'ADDRESS_UNPROVEN');
      const allowed = await allowedAddresses(app.parts.database, Number(organizationID));
      assert.deepEqual([allowed.has(email), allowed.has(inviter.email)], [false, true]);

      const handedOver = await elsewhere.invite(email);
      assert.equal(
        (await refused(6, register(tokenIn(handedOver.link), 'another password'))).info?.reason,
        'INVITATION_ACCOUNT_EXISTS',
      );
      await app.call(
        invitation.renew,
        { organizationID: elsewhere.organizationID, id: handedOver.id, isMailed: true },
        elsewhere.inviter.token,
      );
      const { jwt } = await register(mailedToken(), 'another password');
      await refused(16, app.call(internal.profile, {}, intruder.jwt));
      await refused(16, app.signIn(email, password));
      const { organizations } = await app.call(internal.profile, {}, jwt);
      assert.equal(organizations.length, 2);
    });

    it('send few mails to one address, and few of one organization', async () => {
      const { organizationID, inviter, invite } = await createInviter();
      const email = freshAddress();
      const { id } = await invite(email, { isMailed: true });
      const again = () => app.call(invitation.renew, { organizationID, id, isMailed: true }, inviter.token);
      await again();
      await again();
      await refused(8, again());
      monotonicAheadMs += 20 * 60_000;
      await again();
      const tries = await Promise.allSettled(
        Array.from({ length: 40 }, () => invite(freshAddress(), { isMailed: true })),
      );
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 29);
      assert.match(await app.parts.metrics.text(), /hilltop_invitation_mails_total\{result="throttled"\} 12\n/);
    });
  });

  const invited = ({ organizationID }: Side) => ({ organizationID, email: freshAddress() });
  const inOne = async ({ app, organizationID }: Side) => ({
    organizationID,
    id: (await app.call(invitation.create, { organizationID, email: freshAddress() })).id,
  });
  const admins = ['organizationAdmin', 'globalAdmin'] as const;
  const adminsAndKeys = [...admins, 'adminKey', 'organizationKey'] as const;
  describeAccess(database, 'invitations', [
    row(invitation.list, ({ organizationID }) => ({ organizationID }), adminsAndKeys),
    row(invitation.create, invited, admins),
    row(invitation.renew, inOne, admins),
    row(invitation.delete, inOne, adminsAndKeys),
    row(invitation.accept, () => ({ token: 'x' }), [...people, 'otherAdmin'], everyUser),
  ]);
}

describe('invitations without mail', () => {
  it('have a link to hand over, and refuse a mail with what is missing', async () => {
    await using app = await startTestApp(databases[0]!);
    const organizationID = await createOrganization(app);
    const email = freshAddress();
    const { link } = await app.call(invitation.create, { organizationID, email });
    assert.match(link, /^\/invitation#token=[\w-]{43}$/);
    const mailed = app.call(invitation.create, { organizationID, email: freshAddress(), isMailed: true });
    assert.equal((await refused(9, mailed)).info?.reason, 'MAIL_NOT_SET_UP');
  });
});
