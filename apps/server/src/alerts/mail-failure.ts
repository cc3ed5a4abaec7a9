import type { Database } from '../database/database.ts';

/** A mail that waits for so long and was tried means that mail fails. */
const failingAfterMs = 600_000;

/** Since when mail could not be sent; undefined when it can. */
export async function mailFailingSince({ query }: Database, now: number): Promise<number | undefined> {
  const oldest = await query
    .selectFrom('alert_message')
    .select('created_at')
    .where('state', '=', 'WAITING')
    .where('kind', '=', 'EMAIL')
    .where('attempts', '>', 0)
    .where('created_at', '<=', now - failingAfterMs)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return oldest?.created_at;
}
