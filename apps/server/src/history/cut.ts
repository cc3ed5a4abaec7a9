import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { blockOverhead } from './block.ts';
import type { HistoryStores } from './stores.ts';
import type { HistoryTables } from './tables.ts';

export interface CutRequest {
  /** Events before this time are removed. */
  readonly before: number | undefined;
  /** Bytes of all blocks. */
  readonly mostBytes: number;
  /** The disk is nearly full. */
  readonly isDiskLow: boolean;
}

/** How many events were removed, by reason; and what is left. */
export interface Cut {
  readonly removed: { readonly age: number; readonly size: number; readonly device: number };
  readonly events: number;
  readonly bytes: number;
}

const blocksPerTransaction = 500;
const devicesPerRead = 500;
/** The share of all blocks that is removed at once when there is too much. */
const oldestShare = 0.02;

/** Removes what is too old or too much, and the events of removed devices. */
export async function cut(stores: HistoryStores, { before, mostBytes, isDiskLow }: CutRequest): Promise<Cut> {
  const { blocks } = stores;
  if (!blocks) return { removed: { age: 0, size: 0, device: 0 }, events: 0, bytes: 0 };
  const device = await removeForeign(stores);
  const age = before === undefined ? 0 : await removeAll(blocks.write, sql<boolean>`to_at < ${before}`);
  let size = isDiskLow ? await removeOldest(blocks.write) : 0;
  for (;;) {
    const state = blocks.read.selectFrom('history_state').select(['events', 'bytes']);
    const { events, bytes } = await state.executeTakeFirstOrThrow();
    if (bytes <= mostBytes || events === 0) {
      stores.shrink();
      return { removed: { age, size, device }, events, bytes };
    }
    size += await removeOldest(blocks.write);
  }
}

async function removeOldest(query: Kysely<HistoryTables>): Promise<number> {
  const { blocks } = await query
    .selectFrom('event_block')
    .select(({ fn }) => fn.countAll().as('blocks'))
    .executeTakeFirstOrThrow();
  const most = Math.max(1, Math.ceil(Number(blocks) * oldestShare));
  return await removeAll(query, sql<boolean>`true`, most);
}

/** Blocks of devices that were deleted, or created again since. */
async function removeForeign({ kind, log, blocks }: HistoryStores): Promise<number> {
  let removed = 0;
  if (kind === 'sqlite') removed += await removeOtherTimeline({ log, blocks });
  for (let after = ''; ; ) {
    const devices = await blocks!.read
      .selectFrom('event_block')
      .select('dev_eui')
      .distinct()
      .where('dev_eui', '>', after)
      .orderBy('dev_eui')
      .limit(devicesPerRead)
      .execute();
    if (devices.length === 0) return removed;
    const known = await log
      .selectFrom('device')
      .select(['dev_eui', 'log_from'])
      .where(
        'dev_eui',
        'in',
        devices.map(({ dev_eui }) => dev_eui),
      )
      .execute();
    const logFrom = new Map(known.map(({ dev_eui, log_from }) => [dev_eui, log_from]));
    for (const { dev_eui } of devices) {
      const from = logFrom.get(dev_eui);
      if (from === 0) continue;
      const isForeign = from === undefined ? sql<boolean>`true` : sql<boolean>`from_pos <= ${from}`;
      removed += await removeAll(blocks!.write, sql<boolean>`dev_eui = ${dev_eui} and ${isForeign}`);
    }
    after = devices.at(-1)!.dev_eui;
    await yieldToEventLoop();
  }
}

/**
 * The main database was restored from a backup: events above its last position happened after it, and positions of new
 * events would be taken for sealed ones.
 */
async function removeOtherTimeline({ log, blocks }: Pick<HistoryStores, 'log' | 'blocks'>): Promise<number> {
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = 'event'`.execute(log);
  const last = rows[0]?.seq ?? 0;
  const { sealed_pos } = await blocks!.read.selectFrom('history_state').select('sealed_pos').executeTakeFirstOrThrow();
  if (sealed_pos <= last) return 0;
  const removed = await removeAll(blocks!.write, sql<boolean>`to_pos > ${last}`);
  await blocks!.write.updateTable('history_state').set({ sealed_pos: last }).execute();
  return removed;
}

/** Removes the oldest blocks with that condition, at most `most`; answers how many events they had. */
async function removeAll(
  query: Kysely<HistoryTables>,
  isRemoved: RawBuilder<boolean>,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  let removed = 0;
  for (let left = most; left > 0; ) {
    const found = await query.transaction().execute(async (transaction) => {
      const blocks = await transaction
        .selectFrom('event_block')
        .select(['id', 'count', sql<number>`length(bytes)`.as('size')])
        .where(isRemoved)
        .orderBy('to_at')
        .limit(Math.min(left, blocksPerTransaction))
        .execute();
      if (blocks.length === 0) return blocks;
      const ids = blocks.map(({ id }) => id);
      await transaction.deleteFrom('event_block').where('id', 'in', ids).execute();
      const events = blocks.reduce((sum, { count }) => sum + count, 0);
      const bytes = blocks.reduce((sum, { size }) => sum + size + blockOverhead, 0);
      await transaction
        .updateTable('history_state')
        .set({ events: sql<number>`events - ${events}`, bytes: sql<number>`bytes - ${bytes}` })
        .execute();
      return blocks;
    });
    removed += found.reduce((sum, { count }) => sum + count, 0);
    left -= found.length;
    if (found.length < Math.min(blocksPerTransaction, left + found.length)) return removed;
    await yieldToEventLoop();
  }
  return removed;
}
