import { type Kysely, sql } from 'kysely';
import { blockOverhead } from './block.ts';
import type { HistoryTables } from './tables.ts';

/** Removes the oldest blocks of a device while the others have at least `most` events. Answers what was removed. */
export async function removeBeyond(
  transaction: Kysely<HistoryTables>,
  devEUI: string,
  most: number,
): Promise<{ events: number; bytes: number }> {
  const blocks = await transaction
    .selectFrom('event_block')
    .select(['id', 'count', sql<number>`length(bytes)`.as('size')])
    .where('dev_eui', '=', devEUI)
    .orderBy('to_at')
    .orderBy('to_seq')
    .execute();
  const removed = { events: 0, bytes: 0 };
  let left = blocks.reduce((sum, { count }) => sum + count, 0);
  for (const { id, count, size } of blocks) {
    if (left - count < most) break;
    left -= count;
    await transaction.deleteFrom('event_block').where('id', '=', id).execute();
    removed.events += count;
    removed.bytes += size + blockOverhead;
  }
  return removed;
}
