import type { Database } from '../database/database.ts';

const maxAgeMs = 7 * 86_400_000;
const maxPerIntegration = 10_000;

/** Deletes dead letters that are older than a week or exceed 10,000 of an integration; returns their number. */
export async function deleteOldDeadLetters(
  { query }: Database,
  integrationIDs: readonly number[],
  now: Date,
): Promise<number> {
  let deleted = 0;
  for (const id of integrationIDs) {
    const dead = query.selectFrom('delivery_parked').where('integration_id', '=', id).where('dead_at', 'is not', null);
    const firstBeyondLimit = await dead
      .select('dead_at')
      .orderBy('dead_at', 'desc')
      .limit(1)
      .offset(maxPerIntegration)
      .executeTakeFirst();
    const oldest = new Date(now.getTime() - maxAgeMs);
    const deleteUntil =
      firstBeyondLimit?.dead_at && firstBeyondLimit.dead_at > oldest ? firstBeyondLimit.dead_at : oldest;
    const { numDeletedRows } = await query
      .deleteFrom('delivery_parked')
      .where('integration_id', '=', id)
      .where('dead_at', '<=', deleteUntil)
      .executeTakeFirst();
    deleted += Number(numDeletedRows);
  }
  return deleted;
}
