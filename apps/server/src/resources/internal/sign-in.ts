import { refusal } from '@hilltop/contract';
import { RetryLater } from '../../http/errors.ts';
import { isPassword } from '../../http/password.ts';
import { createThrottle } from '../../http/throttle.ts';
import type { Needs } from '../../needs.ts';
import { findUserByEmail } from '../user/store.ts';
import { openSession } from './session.ts';

/** Signing in with e-mail and password, and out again. */
export interface SignIn {
  /** The token of a new session. Throws code 16 for wrong words, code 8 after too many tries. */
  signIn: (request: { email: string; password: string }, address: string) => Promise<string>;
  /** Ends a session: its token is good for nothing from now on. */
  signOut: (session: { sessionID: string; id: string }) => Promise<void>;
}

const triesPerAccount = 10;
const triesPerAddress = 30;
/** Of what is kept in mind about tries; no user has a longer one. */
const longestAddress = 100;

export function createSignIn(needs: Needs): SignIn {
  const { database, principals, clock, metrics } = needs;
  const accounts = createThrottle(triesPerAccount, () => clock.monotonicMs());
  const addresses = createThrottle(triesPerAddress, () => clock.monotonicMs());

  /** Only wrong tries count, but each must find room before its password is looked at. */
  function take(account: string, address: string): void {
    const seconds = addresses.take(address) || accounts.take(account);
    if (seconds === 0) return;
    metrics.count('sign_ins', { result: 'throttled' });
    throw new RetryLater(seconds);
  }

  function giveBack(account: string, address: string): void {
    accounts.giveBack(account);
    addresses.giveBack(address);
  }

  return {
    signIn: async ({ email, password }, address) => {
      const account = email.toLowerCase().slice(0, longestAddress);
      take(account, address);
      const user = await findUserByEmail(database, email);
      const isRight = await isPassword(password, user?.password_hash ?? null).catch((error: unknown) => {
        giveBack(account, address);
        throw error;
      });
      if (!isRight || !user) {
        metrics.count('sign_ins', { result: 'refused' });
        throw refusal('WRONG_PASSWORD');
      }
      giveBack(account, address);
      metrics.count('sign_ins', { result: 'done' });
      return openSession(needs, user);
    },

    signOut: async ({ sessionID, id }) => {
      await database.query.deleteFrom('session').where('id', '=', sessionID).execute();
      principals.changed(id);
    },
  };
}
