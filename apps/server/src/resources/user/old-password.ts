import { atField, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import { isPassword } from '../../passwords/password.ts';
import { RetryLater } from '../../retry-later.ts';
import type { UserRow } from './store.ts';

/** How long signing in says as much as the password would: whoever did it has just shown it. */
const freshMs = 5 * 60_000;
const triesPerMinute = 10;

export interface OldPasswordCheckDependencies extends ThrottleDependencies {
  database: Database;
}

/**
 * Makes sure that it is the person who changes their own password, and not whoever found the browser or the token.
 * Throws code 3 without the old password in a session of some age, and whenever a given one is wrong; code 8 after too
 * many tries.
 */
export function createOldPasswordCheck(needs: OldPasswordCheckDependencies) {
  const { database, clock } = needs;
  const tries = createSharedThrottle(needs, 'old-passwords', triesPerMinute);

  return async (user: UserRow, given: { oldPassword: string; sessionID: string }): Promise<void> => {
    if (given.oldPassword === '' && (await isFresh(given.sessionID))) return;
    if (given.oldPassword === '') throw atField('oldPassword', refusal('OLD_PASSWORD_NEEDED'));
    const who = String(user.id);
    const seconds = await tries.take(who);
    if (seconds > 0) throw new RetryLater(seconds);
    const isRight = await isPassword(given.oldPassword, user.password_hash, { kind: 'known', who }).catch(
      (error: unknown) => {
        tries.giveBack(who);
        throw error;
      },
    );
    if (!isRight) throw atField('oldPassword', refusal('OLD_PASSWORD_WRONG'));
    tries.giveBack(who);
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
