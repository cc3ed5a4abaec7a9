import { atField, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import {
  createSharedThrottle,
  type SharedThrottle,
  type ThrottleDependencies,
} from '../../identity/shared-throttle.ts';
import { RetryLater } from '../../retry-later.ts';
import type { Secrets } from '../../secrets.ts';
import { hashOfRecoveryCode } from './recovery-codes.ts';
import type { SecondFactorRow } from './store.ts';
import { matchingStep } from './totp.ts';

export interface CodeCheckDependencies extends ThrottleDependencies {
  database: Database;
}

const triesPerMinute = 10;
/** Somebody who knows the password and guesses without end must not succeed: a code is one of a million. */
const triesPerDay = 100;
const minutesPerDay = 24 * 60;

/** Verifies codes, each of which counts once on all instances, and limits wrong ones. */
export class CodeCheck {
  readonly #needs: CodeCheckDependencies;
  readonly #throttles: readonly SharedThrottle[];

  constructor(needs: CodeCheckDependencies) {
    this.#needs = needs;
    this.#throttles = [
      createSharedThrottle(needs, 'second-factors', triesPerMinute),
      createSharedThrottle(needs, 'second-factors a day', triesPerDay / minutesPerDay, triesPerDay),
    ];
  }

  /**
   * Spends a code of the app or a recovery code. Throws code 3 at the field for a wrong or spent one, code 8 after too
   * many. Callers with the same `who` share attempts.
   */
  async spend(factor: SecondFactorRow, given: string, { field, who }: { field: string; who: string }): Promise<void> {
    for (const throttle of this.#throttles) {
      const seconds = await throttle.take(who);
      if (seconds > 0) throw new RetryLater(seconds, 'wrong codes');
    }
    const code = given.replaceAll(/[\s-]/g, '').toLowerCase();
    const problem = /^\d{6}$/.test(code)
      ? await this.#spendCode(factor, code)
      : await this.#spendRecovery(factor, code);
    if (problem) throw atField(field, refusal(problem));
    for (const throttle of this.#throttles) throttle.giveBack(who);
  }

  async #spendCode(factor: SecondFactorRow, code: string) {
    const { database, secrets, clock } = this.#needs;
    const step = matchingStep(openSecret(secrets, factor), code, clock.now());
    if (step === undefined) return 'SECOND_FACTOR_WRONG' as const;
    const { numUpdatedRows } = await database.query
      .updateTable('second_factor')
      .set({ last_step: step })
      .where('user_id', '=', factor.user_id)
      .where('last_step', '<', step)
      .executeTakeFirst();
    return numUpdatedRows > 0n ? undefined : ('SECOND_FACTOR_USED' as const);
  }

  async #spendRecovery(factor: SecondFactorRow, code: string) {
    const { numDeletedRows } = await this.#needs.database.query
      .deleteFrom('recovery_code')
      .where('user_id', '=', factor.user_id)
      .where('hash', '=', hashOfRecoveryCode(code))
      .executeTakeFirst();
    return numDeletedRows > 0n ? undefined : ('RECOVERY_CODE_WRONG' as const);
  }
}

const purposeOf = (userID: number) => `second_factor.secret:${userID}`;

export function sealSecret(secrets: Secrets, userID: number, secret: Uint8Array): Uint8Array {
  return secrets.seal(secret, purposeOf(userID));
}

function openSecret(secrets: Secrets, factor: SecondFactorRow): Uint8Array {
  return secrets.open(factor.secret, purposeOf(factor.user_id));
}
