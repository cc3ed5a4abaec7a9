import { atField, type Operations, refusal, unauthenticated } from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import type { BrandingSettings } from '../../http/settings.ts';
import type { Principal, Principals } from '../../identity/principals.ts';
import type { UserSessionSettings } from '../../identity/settings.ts';
import { sendAccountMail } from '../../mail/account-mail.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Metrics } from '../../metrics.ts';
import { endOtherSessions } from '../session/session.ts';
import { createPasswordCheck, type PasswordCheckDependencies } from '../user/old-password.ts';
import { endSessions, loadUser } from '../user/store.ts';
import { base32Of } from './base32.ts';
import { CodeCheck, sealSecret } from './code-check.ts';
import {
  confirmSecondFactor,
  findSecondFactor,
  insertSecondFactor,
  removeSecondFactor,
  replaceRecoveryCodes,
  secondFactorOf,
} from './store.ts';
import { createTOTPSecret, totpURI } from './totp.ts';

interface SecondFactorRoutesDependencies extends PasswordCheckDependencies {
  config: UserSessionSettings & BrandingSettings;
  principals: Principals;
  mailer: Mailer | undefined;
  metrics: Pick<Metrics, 'count'>;
}

/** The second factor of the calling user, and its reset by administrators. */
export function secondFactorRoutes(needs: SecondFactorRoutesDependencies): Handlers<Operations['secondFactor']> {
  const { database, config, clock, secrets, principals, mailer, metrics } = needs;
  const checkPassword = createPasswordCheck(needs);
  const codes = new CodeCheck(needs);

  /** The user and its second factor, after password and code were verified. */
  async function proven({ password, code }: { password: string; code: string }, principal: Principal) {
    const user = await loadUser(database, personOf(principal).id);
    const factor = await findSecondFactor(database, user.id);
    if (!factor?.confirmed_at) throw refusal('SECOND_FACTOR_OFF');
    await checkPassword(user, password, 'password');
    await codes.spend(factor, code, { field: 'code', who: String(user.id) });
    return user;
  }

  return {
    get: async (_request, { principal }) =>
      secondFactorOf(database, await loadUser(database, personOf(principal).id), config),

    create: async ({ password }, { principal }) => {
      const user = await loadUser(database, personOf(principal).id);
      if (user.password_hash === null) throw refusal('SECOND_FACTOR_OF_PROVIDER');
      if ((await findSecondFactor(database, user.id))?.confirmed_at) throw refusal('SECOND_FACTOR_ON');
      await checkPassword(user, password, 'password');
      const secret = createTOTPSecret();
      const sealed = sealSecret(secrets, user.id, secret);
      await database.transaction(async () => {
        if (!(await insertSecondFactor(database, user.id, sealed))) throw refusal('SECOND_FACTOR_ON');
      });
      const issuer = config.brandingName || 'Hilltop';
      return { secret: base32Of(secret), uri: totpURI(secret, { account: user.email, issuer }) };
    },

    confirm: async ({ code }, { principal, address, log }) => {
      const person = personOf(principal);
      const userID = Number(person.id);
      const factor = await findSecondFactor(database, userID);
      if (factor?.confirmed_at) throw refusal('SECOND_FACTOR_ON');
      if (!factor) throw refusal('SECOND_FACTOR_NOT_STARTED');
      await codes.spend(factor, code, { field: 'code', who: person.id });
      const recoveryCodes = await database.transaction(async () => {
        if (!(await confirmSecondFactor(database, factor, clock.now()))) throw refusal('SECOND_FACTOR_NOT_STARTED');
        // They were opened with the password alone.
        await endOtherSessions(needs, person);
        return replaceRecoveryCodes(database, userID);
      });
      log.info({ account: `user ${userID}`, address }, 'second factor turned on');
      void sendAccountMail({ mailer, metrics, log }, (await loadUser(database, person.id)).email, 'secondFactorOn');
      return { recoveryCodes };
    },

    remove: async (proof, { principal, address, log }) => {
      const { id, email } = await proven(proof, principal);
      await database.transaction(async () => {
        await removeSecondFactor(database, id);
        principals.changed(String(id));
      });
      log.info({ account: `user ${id}`, address }, 'second factor turned off');
      void sendAccountMail({ mailer, metrics, log }, email, 'secondFactorOff');
      return {};
    },

    createRecoveryCodes: async (proof, { principal, log }) => {
      const { id, email } = await proven(proof, principal);
      const recoveryCodes = await database.transaction(() => replaceRecoveryCodes(database, id));
      void sendAccountMail({ mailer, metrics, log }, email, 'recoveryCodes');
      return { recoveryCodes };
    },

    getOfUser: async ({ userID }) => secondFactorOf(database, await loadUser(database, userID), config),

    reset: async ({ userID }, { principal, address, log }) => {
      if (principal?.kind === 'user' && principal.id === userID) throw atField('userID', refusal('OWN_SECOND_FACTOR'));
      const email = await database.transaction(() => resetSecondFactor(needs, userID));
      log.warn({ account: `user ${userID}`, address }, 'second factor reset by an administrator');
      void sendAccountMail({ mailer, metrics, log }, email, 'secondFactorReset');
      return {};
    },
  };
}

/** Answers the e-mail address of the user. */
async function resetSecondFactor(
  { database, principals }: SecondFactorRoutesDependencies,
  userID: string,
): Promise<string> {
  const user = await loadUser(database, userID);
  if (!(await removeSecondFactor(database, user.id))) throw refusal('SECOND_FACTOR_OFF');
  await endSessions(database, user.id);
  principals.changed(userID);
  return user.email;
}

function personOf(principal: Principal) {
  if (principal?.kind !== 'user') throw unauthenticated();
  return principal;
}
