import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { foreignDevices, isForeign, pagesOfDevices } from './foreign-devices.ts';
import { dayOf } from './series-day.ts';
import { seriesOverhead } from './series-writer.ts';
import type { HistoryStores } from './stores.ts';
import type { HistoryTables } from './tables.ts';

/** How many days of devices were removed, by reason; and what is left. */
export interface SeriesCut {
  readonly removed: { readonly age: number; readonly size: number; readonly device: number };
  readonly bytes: number;
}

const rowsPerTransaction = 500;
/** The share of all days that is removed at once when the disk is full. */
const oldestShare = 0.02;

/** Removes series that are too old, and those of removed devices. */
export async function cutSeries(
  { log, blocks }: HistoryStores,
  { before, isDiskLow }: { before: number | undefined; isDiskLow: boolean },
): Promise<SeriesCut> {
  const { read, write } = blocks!;
  let device = 0;
  for await (const { devEUI, upTo } of foreignDevices(log, pagesOfDevices(read, 'series_device'))) {
    device += await removeDays(write, isForeign(devEUI, upTo));
    await write.deleteFrom('series_device').where(isForeign(devEUI, upTo)).execute();
  }
  const age = before === undefined ? 0 : await removeDays(write, sql<boolean>`day < ${dayOf(before)}`);
  const size = isDiskLow ? await removeOldest(write) : 0;
  const state = await read.selectFrom('history_state').select('series_bytes').executeTakeFirstOrThrow();
  return { removed: { age, size, device }, bytes: state.series_bytes };
}

async function removeOldest(query: Kysely<HistoryTables>): Promise<number> {
  const count = query.selectFrom('series_day').select(({ fn }) => fn.countAll().as('days'));
  const { days } = await count.executeTakeFirstOrThrow();
  return await removeDays(query, sql<boolean>`true`, Math.ceil(Number(days) * oldestShare));
}

/** Removes days with that condition, the oldest first, at most `most`; answers how many. */
async function removeDays(
  query: Kysely<HistoryTables>,
  isRemoved: RawBuilder<boolean>,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const limit = Math.min(rowsPerTransaction, most - removed);
    const found = await query.transaction().execute(async (transaction) => {
      const days = await transaction
        .selectFrom('series_day')
        .select(['dev_eui', 'day', sql<number>`length(bytes)`.as('size')])
        .where(isRemoved)
        .orderBy('day')
        .limit(limit)
        .execute();
      for (const { dev_eui, day } of days)
        await transaction.deleteFrom('series_day').where('dev_eui', '=', dev_eui).where('day', '=', day).execute();
      const bytes = days.reduce((sum, { size }) => sum + size + seriesOverhead, 0);
      await transaction
        .updateTable('history_state')
        .set({ series_bytes: sql<number>`series_bytes - ${bytes}` })
        .execute();
      return days.length;
    });
    removed += found;
    if (found < limit) break;
    await yieldToEventLoop();
  }
  return removed;
}
