/**
 * Where the JoinNonces of keys begin. A device may have had the same keys before, here or elsewhere: the JoinNonce must
 * never repeat then, and from LoRaWAN 1.0.4 on a device ignores a join-accept whose JoinNonce is not higher than its last.
 */
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';

const firstMinute = Date.UTC(2026, 0, 1) / 60_000;
const highestStart = 0xff_00_00;

/** The JoinNonce before the first of new keys, unless earlier keys have used higher ones: the minutes since 2026. */
export function joinNonceBefore(now: Date): number {
  const minutes = Math.floor(now.getTime() / 60_000) - firstMinute;
  return Math.max(0, Math.min(minutes, highestStart));
}

/** Call it before the keys of devices are deleted: their JoinNonces are stored until new keys would begin above them. */
export async function storeJoinNonces({ query, kind }: Database, devEUIs: readonly string[], now: Date): Promise<void> {
  const start = joinNonceBefore(now);
  const { numInsertedOrUpdatedRows } = await query
    .insertInto('former_join_nonce')
    .columns(['dev_eui', 'join_nonce'])
    .expression((eb) =>
      eb
        .selectFrom('device_keys')
        .select(['dev_eui', 'join_nonce'])
        .where(isInList(kind, 'device_keys.dev_eui', devEUIs))
        .where('join_nonce', '>', start),
    )
    .onConflict((on) =>
      on
        .column('dev_eui')
        .doUpdateSet({ join_nonce: (eb) => eb.ref('excluded.join_nonce') })
        .whereRef('former_join_nonce.join_nonce', '<', 'excluded.join_nonce'),
    )
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows) await query.deleteFrom('former_join_nonce').where('join_nonce', '<=', start).execute();
}

/** Restored keys go on above what other keys of the device may have used since. */
export async function continueJoinNonce({ query, kind }: Database, devEUI: string, now: Date): Promise<void> {
  const greatest = sql.raw(kind === 'sqlite' ? 'max' : 'greatest');
  const former = sql`(select join_nonce from former_join_nonce where dev_eui = ${devEUI})`;
  await query
    .updateTable('device_keys')
    .set({ join_nonce: sql<number>`${greatest}(join_nonce, ${joinNonceBefore(now)}, coalesce(${former}, 0))` })
    .where('dev_eui', '=', devEUI)
    .execute();
}
