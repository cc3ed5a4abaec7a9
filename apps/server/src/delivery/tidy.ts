import type { Database } from '../database/database.ts';

const day = 86_400_000;
const deadKeptMs = 7 * day;
const mostDead = 10_000;

/** Removes what is too old or too much of these integrations; answers how many dead letters went. */
export async function tidy({ query }: Database, integrationIDs: readonly number[], now: Date): Promise<number> {
  let dropped = 0;
  for (const id of integrationIDs) {
    const dead = query.selectFrom('delivery_parked').where('integration_id', '=', id).where('dead_at', 'is not', null);
    const tooMany = await dead
      .select('dead_at')
      .orderBy('dead_at', 'desc')
      .limit(1)
      .offset(mostDead)
      .executeTakeFirst();
    const old = new Date(now.getTime() - deadKeptMs);
    const before = tooMany?.dead_at && tooMany.dead_at > old ? tooMany.dead_at : old;
    const { numDeletedRows } = await query
      .deleteFrom('delivery_parked')
      .where('integration_id', '=', id)
      .where('dead_at', '<=', before)
      .executeTakeFirst();
    dropped += Number(numDeletedRows);
  }
  return dropped;
}
