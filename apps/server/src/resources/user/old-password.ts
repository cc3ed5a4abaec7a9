import { atField, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import { isPassword } from '../../passwords/password.ts';
import { RetryLater } from '../../retry-later.ts';
import type { UserRow } from './store.ts';

/** For this time after a sign-in users need not enter the old password again. */
const freshMs = 5 * 60_000;
const triesPerMinute = 10;

export interface OldPasswordCheckDependencies extends ThrottleDependencies {
  database: Database;
}

/**
 * Verifies that users change their own password, and not somebody with their browser or token. Throws code 3 without
 * the old password in an older session, and whenever a given one is wrong; code 8 after too many attempts.
 */
export function createOldPasswordCheck(needs: OldPasswordCheckDependencies) {
  const { database, clock } = needs;
  const throttle = createSharedThrottle(needs, 'old-passwords', triesPerMinute);

  return async (user: UserRow, given: { oldPassword: string; sessionID: string }): Promise<void> => {
    if (given.oldPassword === '' && (await isFresh(given.sessionID))) return;
    if (given.oldPassword === '') throw atField('oldPassword', refusal('OLD_PASSWORD_NEEDED'));
    const who = String(user.id);
    const seconds = await throttle.take(who);
    if (seconds > 0) throw new RetryLater(seconds);
    const isRight = await isPassword(given.oldPassword, user.password_hash, { kind: 'known', who }).catch(
      (error: unknown) => {
        throttle.giveBack(who);
        throw error;
      },
    );
    if (!isRight) throw atField('oldPassword', refusal('OLD_PASSWORD_WRONG'));
    throttle.giveBack(who);
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
