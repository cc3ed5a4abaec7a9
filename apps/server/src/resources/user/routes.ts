import { alreadyExists, atField, type Operations, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import type { Principals } from '../../identity/principals.ts';
import { sendAccountMail } from '../../mail/account-mail.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Metrics } from '../../metrics.ts';
import { checkNewPassword } from '../../passwords/new-password.ts';
import { hashPassword } from '../../passwords/password.ts';
import { checkRights, insertMember } from '../organization-member/store.ts';
import { createOldPasswordCheck, type PasswordCheckDependencies } from './old-password.ts';
import {
  chosenPassword,
  deleteUser,
  endSessions,
  findUserByAnyCase,
  fromRow,
  insertUser,
  listUsers,
  loadUser,
  refuseWithoutAdministrator,
  toRow,
  type UserRow,
  updateUser,
} from './store.ts';

interface UserRoutesDependencies extends PasswordCheckDependencies {
  mailer: Mailer | undefined;
  metrics: Pick<Metrics, 'count'>;
  principals: Principals;
}

/** The users. A change of identity or rights ends their sessions. */
export function userRoutes(needs: UserRoutesDependencies): Handlers<Operations['user']> {
  const { database, principals, clock, mailer, metrics } = needs;
  const checkOldPassword = createOldPasswordCheck(needs);
  return {
    list: (page) => listUsers(database, page),

    get: async ({ id }) => {
      const row = await loadUser(database, id);
      return { user: fromRow(row), createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString() };
    },

    create: async ({ user, password, organizations }, { principal }) => {
      await checkNewPassword(password, user.email);
      const passwordHash = await hashPassword(password, principal?.id ?? '');
      return database.transaction(async () => {
        const now = clock.now();
        await refuseOtherCase(database, user.email);
        const id = await insertUser(database, {
          ...toRow(user, now),
          created_at: now,
          external_id: null,
          email_verified: false,
          password_hash: passwordHash,
        });
        for (const [index, { organizationID, ...rights }] of organizations.entries()) {
          await checkRights(database, organizationID, rights, { path: `organizations[${index}]` });
          await insertMember(database, {
            organizationID: toID(organizationID, 'organization'),
            userID: id,
            rights,
            now,
          });
        }
        return { id: String(id) };
      });
    },

    update: ({ user }, { log }) =>
      database.transaction(async () => {
        const before = await loadUser(database, user.id);
        if (administers(before) && !(user.isAdmin && user.isActive))
          await refuseWithoutAdministrator(database, before.id);
        if (before.email !== user.email) await refuseOtherCase(database, user.email, before.id);
        await updateUser(database, before.id, toRow(user, clock.now()));
        const isDemoted = before.is_admin && !user.isAdmin;
        if (isDemoted || !user.isActive || before.email !== user.email) await endSessions(database, before.id);
        principals.changed(user.id);
        if (before.email !== user.email)
          database.afterCommit(() => void sendAccountMail({ mailer, metrics, log }, before.email, 'addressChanged'));
        return {};
      }),

    delete: ({ id }, { principal }) =>
      database.transaction(async () => {
        if (principal?.kind === 'user' && principal.id === id) throw atField('id', refusal('OWN_ACCOUNT'));
        const row = await loadUser(database, id);
        if (administers(row)) await refuseWithoutAdministrator(database, row.id);
        await deleteUser(database, row.id);
        principals.changed(id);
        return {};
      }),

    updatePassword: async ({ userId, password, oldPassword }, { principal, address, log }) => {
      const before = await loadUser(database, userId);
      if (principal?.kind === 'user' && principal.id === userId)
        await checkOldPassword(before, { oldPassword, sessionID: principal.sessionID });
      await checkNewPassword(password, before.email);
      const passwordHash = await hashPassword(password, principal?.id ?? '');
      await database.transaction(async () => {
        const row = await loadUser(database, userId);
        await updateUser(database, row.id, { ...chosenPassword(passwordHash), updated_at: clock.now() });
        await endSessions(database, row.id);
        principals.changed(userId);
      });
      log.info({ account: `user ${userId}`, address }, 'password changed');
      void sendAccountMail({ mailer, metrics, log }, before.email, 'passwordChanged');
      return {};
    },
  };
}

/** Two users whose addresses differ in letter case only would receive each other's mails. */
async function refuseOtherCase(database: Database, email: string, ownID?: number): Promise<void> {
  const existing = await findUserByAnyCase(database, email);
  if (existing && existing.id !== ownID) throw alreadyExists('user', { field: 'user.email', called: 'e-mail address' });
}

function administers({ is_admin, is_active }: UserRow): boolean {
  return is_admin && is_active;
}
