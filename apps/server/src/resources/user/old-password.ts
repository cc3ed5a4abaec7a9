import { atField, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import { isPassword } from '../../passwords/password.ts';
import { RetryLater } from '../../retry-later.ts';
import type { UserRow } from './store.ts';

/** For this time after a sign-in users need not enter the old password again. */
const freshMs = 5 * 60_000;
const triesPerMinute = 10;

export interface PasswordCheckDependencies extends ThrottleDependencies {
  database: Database;
}

/**
 * Verifies that a signed-in user makes a call, and not somebody with the user's browser or token. Throws code 3 at the
 * field for a wrong password, code 8 after too many attempts.
 */
export function createPasswordCheck(needs: PasswordCheckDependencies) {
  const throttle = createSharedThrottle(needs, 'old-passwords', triesPerMinute);

  return async (user: UserRow, password: string, field: string): Promise<void> => {
    const who = String(user.id);
    const seconds = await throttle.take(who);
    if (seconds > 0) throw new RetryLater(seconds);
    const isRight = await isPassword(password, user.password_hash, { kind: 'known', who }).catch((error: unknown) => {
      throttle.giveBack(who);
      throw error;
    });
    if (!isRight) throw atField(field, refusal('OLD_PASSWORD_WRONG'));
    throttle.giveBack(who);
  };
}

/**
 * The check for a new password: users need not enter the old one in the first minutes of a session. Throws code 3
 * without it in an older session.
 */
export function createOldPasswordCheck(needs: PasswordCheckDependencies) {
  const { database, clock } = needs;
  const checkPassword = createPasswordCheck(needs);

  return async (user: UserRow, given: { oldPassword: string; sessionID: string }): Promise<void> => {
    if (given.oldPassword !== '') return checkPassword(user, given.oldPassword, 'oldPassword');
    if (!(await isFresh(given.sessionID))) throw atField('oldPassword', refusal('OLD_PASSWORD_NEEDED'));
  };

  async function isFresh(sessionID: string): Promise<boolean> {
    const session = await database.query
      .selectFrom('session')
      .select('created_at')
      .where('id', '=', sessionID)
      .executeTakeFirst();
    return session !== undefined && session.created_at.getTime() + freshMs > clock.now().getTime();
  }
}
