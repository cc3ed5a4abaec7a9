import type { SecondFactor } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import { countOf } from '../../database/page.ts';
import { isSecondFactorRequired } from '../../identity/second-factor-required.ts';
import type { UserSessionSettings } from '../../identity/settings.ts';
import type { UserRow } from '../user/store.ts';
import { createRecoveryCodes, hashOfRecoveryCode } from './recovery-codes.ts';
import type { SecondFactorTable } from './tables.ts';

export type SecondFactorRow = Selectable<SecondFactorTable>;

export async function findSecondFactor({ query }: Database, userID: number): Promise<SecondFactorRow | undefined> {
  return query.selectFrom('second_factor').selectAll().where('user_id', '=', userID).executeTakeFirst();
}

/** The state that the API answers. */
export async function secondFactorOf(
  database: Database,
  user: UserRow,
  { requireSecondFactor }: UserSessionSettings,
): Promise<SecondFactor> {
  const row = await findSecondFactor(database, user.id);
  const isAvailable = user.password_hash !== null;
  const codes = database.query.selectFrom('recovery_code').where('user_id', '=', user.id);
  return {
    isOn: row?.confirmed_at != null,
    since: row?.confirmed_at?.toISOString() ?? null,
    recoveryCodesLeft: Number(await countOf(codes)),
    isRequired: isAvailable && isSecondFactorRequired(requireSecondFactor, { isAdmin: user.is_admin }),
    isAvailable,
  };
}

/** Stores an unconfirmed second factor in place of an earlier one. Resolves with false when a confirmed one exists. */
export async function insertSecondFactor({ query }: Database, userID: number, secret: Uint8Array): Promise<boolean> {
  const row = { secret, last_step: 0 };
  const { numInsertedOrUpdatedRows = 0n } = await query
    .insertInto('second_factor')
    .values({ user_id: userID, confirmed_at: null, ...row })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(row).where('second_factor.confirmed_at', 'is', null),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Resolves with false when the second factor was replaced or confirmed meanwhile. */
export async function confirmSecondFactor(
  { query }: Database,
  { user_id, secret }: SecondFactorRow,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('second_factor')
    .set({ confirmed_at: at })
    .where('user_id', '=', user_id)
    .where('secret', '=', secret)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Replaces the recovery codes of a user and resolves with the new ones, which are stored as hashes only. */
export async function replaceRecoveryCodes({ query }: Database, userID: number): Promise<string[]> {
  const codes = createRecoveryCodes();
  const rows = codes.map((code) => ({ user_id: userID, hash: hashOfRecoveryCode(code.replaceAll('-', '')) }));
  await query.deleteFrom('recovery_code').where('user_id', '=', userID).execute();
  await query.insertInto('recovery_code').values(rows).execute();
  return codes;
}

/** Turns off the second factor of a user. Resolves with whether it was on. */
export async function removeSecondFactor({ query }: Database, userID: number): Promise<boolean> {
  const removed = await query
    .deleteFrom('second_factor')
    .where('user_id', '=', userID)
    .returning('confirmed_at')
    .executeTakeFirst();
  return removed?.confirmed_at != null;
}
