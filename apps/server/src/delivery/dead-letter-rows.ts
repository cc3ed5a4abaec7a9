import type { Database } from '../database/database.ts';
import type { RetryReference } from './retry-rows.ts';

const deadLettersOf = ({ query }: Database, id: number) =>
  query.selectFrom('delivery_parked').where('integration_id', '=', id).where('dead_at', 'is not', null);

export async function countDeadLetters(database: Database, id: number): Promise<number> {
  const { count } = await deadLettersOf(database, id)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The newest first. */
export function readDeadLetters(database: Database, id: number, { limit, offset }: { limit: number; offset: number }) {
  return deadLettersOf(database, id)
    .selectAll()
    .orderBy('dead_at', 'desc')
    .orderBy('pos', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Moves dead letters back to the retry queue: those of `eventIDs`, or all when it is empty. */
export async function requeueDeadLetters(
  { query }: Database,
  id: number,
  eventIDs: readonly string[],
  now: Date,
): Promise<RetryReference[]> {
  const rows = await query
    .updateTable('delivery_parked')
    .set({ dead_at: null, failures: 0, next_at: now, revived_at: now })
    .where('integration_id', '=', id)
    .where('dead_at', 'is not', null)
    .$if(eventIDs.length > 0, (dead) => dead.where('event_id', 'in', eventIDs))
    .returning(['pos', 'dev_eui'])
    .execute();
  return rows.map((row) => ({ pos: row.pos, devEUI: row.dev_eui, nextAt: now, isDead: false }));
}

/** Deletes the dead letters of `eventIDs`, or all when it is empty; returns their number. */
export async function deleteDeadLetters({ query }: Database, id: number, eventIDs: readonly string[]): Promise<number> {
  const { numDeletedRows } = await query
    .deleteFrom('delivery_parked')
    .where('integration_id', '=', id)
    .where('dead_at', 'is not', null)
    .$if(eventIDs.length > 0, (dead) => dead.where('event_id', 'in', eventIDs))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
