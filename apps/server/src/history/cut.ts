import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { historyFailPoint } from '../fail-points.ts';
import { blockOverhead } from './block.ts';
import { cutSeries, type SeriesCut } from './cut-series.ts';
import { foreignDevices, isForeign, pagesOfDevices } from './foreign-devices.ts';
import { removeBeyond } from './limit-device.ts';
import { removeOtherTimeline } from './other-timeline.ts';
import type { HistoryStores } from './stores.ts';
import type { HistoryTables } from './tables.ts';

export interface CutRequest {
  /** Events before this time are removed. */
  readonly before: number | undefined;
  /** Series of earlier days are removed. Milliseconds since 1970. */
  readonly seriesBefore: number | undefined;
  /** Events of a device, which sealing limits as well; 0 when the limit is the one of the last request. */
  readonly perDevice: number;
  /** Bytes of all blocks. */
  readonly mostBytes: number;
  /** The disk is nearly full. */
  readonly isDiskLow: boolean;
}

/** How many events were removed, by reason; and what is left. */
export interface Cut {
  readonly removed: { readonly age: number; readonly size: number; readonly device: number; readonly count: number };
  readonly events: number;
  readonly bytes: number;
  readonly series: SeriesCut;
}

const blocksPerTransaction = 500;
/** The share of all blocks that is removed at once when there is too much. */
const oldestShare = 0.02;

const nothingRemoved: Cut = {
  removed: { age: 0, size: 0, device: 0, count: 0 },
  events: 0,
  bytes: 0,
  series: { removed: { age: 0, size: 0, device: 0 }, bytes: 0 },
};

/** Removes what is too old or too much, and the events of removed devices. */
export async function cut(
  stores: HistoryStores,
  { before, seriesBefore, perDevice, mostBytes, isDiskLow }: CutRequest,
): Promise<Cut> {
  const { blocks } = stores;
  if (!blocks) return nothingRemoved;
  const device = await removeForeign(stores);
  const age = before === undefined ? 0 : await removeAll(blocks.write, sql<boolean>`to_at < ${before}`);
  const count = perDevice === 0 ? 0 : await limitDevices(blocks.write, perDevice);
  let size = isDiskLow ? await removeOldest(blocks.write) : 0;
  // A full disk takes the events first.
  const series = await cutSeries(stores, { before: seriesBefore, isDiskLow: isDiskLow && size === 0 });
  for (;;) {
    const state = blocks.read.selectFrom('history_state').select(['events', 'bytes']);
    const { events, bytes } = await state.executeTakeFirstOrThrow();
    if (bytes <= mostBytes || events === 0) {
      stores.shrink();
      return { removed: { age, size, device, count }, events, bytes, series };
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
  if (kind === 'sqlite') removed += await removeOtherTimeline({ log, blocks: blocks! });
  for await (const { devEUI, upTo } of foreignDevices(log, pagesOfDevices(blocks!.read, 'event_block')))
    removed += await removeAll(blocks!.write, isForeign(devEUI, upTo));
  return removed;
}

async function limitDevices(query: Kysely<HistoryTables>, perDevice: number): Promise<number> {
  let removed = 0;
  for await (const devEUIs of pagesOfDevices(query, 'event_block')) {
    const above = await query
      .selectFrom('event_block')
      .select('dev_eui')
      .where('dev_eui', 'in', devEUIs)
      .groupBy('dev_eui')
      .having(({ fn }) => fn.sum('count'), '>', perDevice)
      .execute();
    for (const { dev_eui } of above)
      removed += await query.transaction().execute(async (transaction) => {
        const { events, bytes } = await removeBeyond(transaction, dev_eui, perDevice);
        await subtract(transaction, { events, bytes });
        return events;
      });
  }
  return removed;
}

async function subtract(transaction: Kysely<HistoryTables>, { events, bytes }: { events: number; bytes: number }) {
  await transaction
    .updateTable('history_state')
    .set({ events: sql<number>`events - ${events}`, bytes: sql<number>`bytes - ${bytes}` })
    .execute();
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
      await subtract(transaction, { events, bytes });
      historyFailPoint('blocks removed');
      return blocks;
    });
    if (found.length > 0) historyFailPoint('removal committed');
    removed += found.reduce((sum, { count }) => sum + count, 0);
    left -= found.length;
    if (found.length < Math.min(blocksPerTransaction, left + found.length)) return removed;
    await yieldToEventLoop();
  }
  return removed;
}
