import { refusal } from '@hilltop/contract';
import type { Logger } from 'pino';
import type { Context } from '../../http/call.ts';
import { createLineLimit } from '../../line-limit.ts';
import type { Metrics } from '../../metrics.ts';
import { hashPassword, isEarlierForm, isPassword, type PasswordCaller } from '../../passwords/password.ts';
import type { RedisConnection } from '../../redis/connection.ts';
import { RetryLater } from '../../retry-later.ts';
import { CodeCheck } from '../second-factor/code-check.ts';
import { findSecondFactor } from '../second-factor/store.ts';
import { type OpenSessionDependencies, openSession } from '../session/session.ts';
import { earlierPassword, findUserByEmail, renewPassword, type UserRow } from '../user/store.ts';
import { createKnownDevices } from './known-devices.ts';
import { RefusedSignIns } from './refused-sign-ins.ts';
import { createSignInThrottle, type SignInTry } from './sign-in-throttle.ts';

type Call = Pick<Context, 'address' | 'headers' | 'isSecure' | 'tell' | 'log'>;

/**
 * Signs in with e-mail, password and, where the user has a second factor, a code. Resolves with the token of a new
 * session. Throws code 16 for wrong credentials or an inactive account, code 9 where a code is missing, code 3 for a
 * wrong one, code 8 after too many tries.
 */
export type SignIn = (request: { email: string; password: string; otp: string }, call: Call) => Promise<string>;

/** The longest e-mail address that throttles remember; no user has a longer one. */
const longestAddress = 100;

export interface SignInDependencies extends OpenSessionDependencies {
  redis: RedisConnection | undefined;
  metrics: Metrics;
  log: Logger;
}

export function createSignIn(needs: SignInDependencies): SignIn {
  const { database, metrics } = needs;
  const throttle = createSignInThrottle(needs);
  const devices = createKnownDevices(needs);
  const refused = new RefusedSignIns(needs);
  const refusedLines = createLineLimit(needs, 'refused sign-ins');
  const codes = new CodeCheck(needs);

  /** Verifies the second factor of a user who has one. Throws code 9 without a code, code 3 for a wrong one. */
  async function checkSecondFactor(user: UserRow, otp: string, { kind }: PasswordCaller): Promise<void> {
    const factor = await findSecondFactor(database, user.id);
    if (!factor?.confirmed_at) return;
    if (otp === '') throw refusal('SECOND_FACTOR_NEEDED');
    // Guesses from unknown devices do not use up the attempts of the owner.
    await codes.spend(factor, otp, { field: 'otp', who: `${user.id} ${kind}` });
  }

  return async ({ email, password, otp }, call) => {
    const { address, log } = call;
    const account = email.toLowerCase().slice(0, longestAddress);

    /** The account in the log; never the typed text, which may be a password in the wrong field. */
    function note(result: 'refused' | 'throttled' | 'inactive' | 'second_factor', who: string): void {
      metrics.count('sign_ins', { result });
      refusedLines(() => log.warn({ account: who, address, result }, 'sign-in refused'));
    }

    let attempt: SignInTry;
    try {
      attempt = await throttle.begin(account, { address, device: devices.nameOf(call, account) });
    } catch (error) {
      note('throttled', 'not looked up');
      throw error;
    }
    const user = await findUserByEmail(database, email);
    const stored = user?.password_hash ?? null;
    const earlier = await earlierPassword(database);
    const isRight = await isPassword(password, stored, attempt.caller, earlier).catch((error: unknown) => {
      attempt.giveBack();
      throw error;
    });
    if (!isRight || !user) {
      note('refused', user ? `user ${user.id}` : 'unknown');
      await refused.note(user, address);
      throw refusal('WRONG_PASSWORD');
    }
    if (!user.is_active) {
      attempt.succeed();
      note('inactive', `user ${user.id}`);
      await refused.note(user, address);
      throw refusal('INACTIVE');
    }
    await checkSecondFactor(user, otp, attempt.caller).catch(async (error: unknown) => {
      // Who knows the password alone does not make a network known.
      attempt.giveBack();
      note(error instanceof RetryLater ? 'throttled' : 'second_factor', `user ${user.id}`);
      if (otp !== '') await refused.note(user, address);
      throw error;
    });
    attempt.succeed();
    if (isEarlierForm(stored)) {
      const renewed = renewPassword(database, user.id, stored, await hashPassword(password, account));
      // The next sign-in retries: a full disk refuses this write and may still have space for a session.
      await renewed.catch((error: unknown) => log.warn({ err: error }, 'a password hash could not be renewed'));
    }
    const token = await openSession(needs, user, call);
    metrics.count('sign_ins', { result: 'done' });
    log.info({ account: `user ${user.id}`, address }, 'signed in');
    call.tell('Set-Cookie', devices.cookieFor(call, account));
    return token;
  };
}
