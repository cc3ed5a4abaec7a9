import type { Database } from '../database/database.ts';
import type { ParkedPlace } from './parked-rows.ts';

const ofDead = ({ query }: Database, id: number) =>
  query.selectFrom('delivery_parked').where('integration_id', '=', id).where('dead_at', 'is not', null);

export async function countDead(database: Database, id: number): Promise<number> {
  const { count } = await ofDead(database, id)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The newest first. */
export function readDead(database: Database, id: number, { limit, offset }: { limit: number; offset: number }) {
  return ofDead(database, id)
    .selectAll()
    .orderBy('dead_at', 'desc')
    .orderBy('pos', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Brings dead ones back to life, all when none are named; answers where they are. */
export async function reviveDead(
  { query }: Database,
  id: number,
  eventIDs: readonly string[],
  now: Date,
): Promise<ParkedPlace[]> {
  const rows = await query
    .updateTable('delivery_parked')
    .set({ dead_at: null, failures: 0, next_at: now, revived_at: now })
    .where('integration_id', '=', id)
    .where('dead_at', 'is not', null)
    .$if(eventIDs.length > 0, (some) => some.where('event_id', 'in', eventIDs))
    .returning(['pos', 'dev_eui'])
    .execute();
  return rows.map((row) => ({ pos: row.pos, devEUI: row.dev_eui, nextAt: now, isDead: false }));
}

/** Answers how many. */
export async function deleteDead({ query }: Database, id: number, eventIDs: readonly string[]): Promise<number> {
  const { numDeletedRows } = await query
    .deleteFrom('delivery_parked')
    .where('integration_id', '=', id)
    .where('dead_at', 'is not', null)
    .$if(eventIDs.length > 0, (some) => some.where('event_id', 'in', eventIDs))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
