import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { isError, isOwn } from '../event-log/row.ts';
import { blockOverhead, packText, textOf, unpackEvents } from './block.ts';
import { compareKeys, type EventKey } from './event-key.ts';
import { SeriesWriter, seriesOverhead } from './series-writer.ts';
import type { HistoryStores } from './stores.ts';
import type { HistoryTables } from './tables.ts';

/**
 * After the main database was restored from a backup, events above its last position happened after the backup, and
 * positions of new events would be taken for sealed ones. Removes those events, sets the position back, and answers how
 * many events were removed.
 */
export async function removeOtherTimeline({
  log,
  blocks,
}: {
  log: Kysely<Tables>;
  blocks: NonNullable<HistoryStores['blocks']>;
}): Promise<number> {
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = 'event'`.execute(log);
  const last = rows[0]?.seq ?? 0;
  const { sealed_pos } = await blocks.read.selectFrom('history_state').select('sealed_pos').executeTakeFirstOrThrow();
  if (sealed_pos <= last) return 0;
  return await blocks.write.transaction().execute(async (transaction) => {
    const change = { events: 0, bytes: 0 };
    const later = await transaction.selectFrom('event_block').select('id').where('to_pos', '>', last).execute();
    for (const { id } of later) {
      const stored = transaction.selectFrom('event_block').selectAll().where('id', '=', id);
      const block = await stored.executeTakeFirstOrThrow();
      const newest = block.from_pos <= last ? await newestInLog(log, block.dev_eui, last) : undefined;
      const left = newest ? await keepUpTo(transaction, block, newest, last) : undefined;
      if (!left) await transaction.deleteFrom('event_block').where('id', '=', id).execute();
      change.events += block.count - (left?.count ?? 0);
      change.bytes += block.bytes.length + blockOverhead - (left ? left.bytes + blockOverhead : 0);
    }
    const seriesBytes = await rebuildSeries(transaction, log, last);
    await transaction
      .updateTable('history_state')
      .set({
        sealed_pos: last,
        events: sql<number>`events - ${change.events}`,
        bytes: sql<number>`bytes - ${change.bytes}`,
        series_bytes: sql<number>`series_bytes + ${seriesBytes}`,
      })
      .execute();
    return change.events;
  });
}

/** Removes the values after a position from the series. Answers by how many bytes the series have grown. */
async function rebuildSeries(transaction: Kysely<HistoryTables>, log: Kysely<Tables>, last: number): Promise<number> {
  const later = await transaction
    .selectFrom('series_day')
    .select(['dev_eui', 'day', sql<number>`length(bytes)`.as('size')])
    .where('to_pos', '>', last)
    .execute();
  await transaction.deleteFrom('series_day').where('to_pos', '>', last).execute();
  let grown = -later.reduce((sum, { size }) => sum + size + seriesOverhead, 0);
  for (const [devEUI, days] of Map.groupBy(later, ({ dev_eui }) => dev_eui)) {
    await transaction.deleteFrom('series_device').where('dev_eui', '=', devEUI).execute();
    const device = await log.selectFrom('device').select('log_from').where('dev_eui', '=', devEUI).executeTakeFirst();
    if (!device) continue;
    const owner = { devEUI, from: device.log_from };
    const rebuilt = await SeriesWriter.rebuild(transaction, owner, new Set(days.map(({ day }) => day)));
    grown += rebuilt.bytes;
  }
  return grown;
}

/** The key of the newest event of a device in the restored log. */
async function newestInLog(log: Kysely<Tables>, devEUI: string, last: number): Promise<EventKey | undefined> {
  const linked = log
    .selectFrom('event')
    .innerJoin('device', 'device.last_event', 'event.pos')
    .select(['event.at', 'event.seq'])
    .where('device.dev_eui', '=', devEUI);
  const newestOf = (condition: typeof isError) =>
    log
      .selectFrom('event')
      .select(['at', 'seq'])
      .where('dev_eui', '=', devEUI)
      .where(condition)
      .where('pos', '<=', last)
      .orderBy('pos', 'desc')
      .limit(1)
      .executeTakeFirst();
  const found = [await linked.executeTakeFirst(), await newestOf(isError), await newestOf(isOwn)];
  const keys = found.filter((key) => key !== undefined);
  return keys.toSorted(compareKeys).at(-1);
}

/** Removes the events of a block after `newest`. Undefined when none is left. */
async function keepUpTo(
  transaction: Kysely<HistoryTables>,
  { id, bytes }: Pick<Selectable<HistoryTables['event_block']>, 'id' | 'bytes'>,
  newest: EventKey,
  last: number,
): Promise<{ count: number; bytes: number } | undefined> {
  const events = unpackEvents(bytes).filter((event) => compareKeys(event, newest) <= 0);
  const end = events.at(-1);
  if (!end) return undefined;
  const text = events.map(textOf).join('');
  const packed = packText(text);
  await transaction
    .updateTable('event_block')
    .set({ to_at: end.at, to_seq: end.seq, to_pos: last, count: events.length, unpacked: text.length, bytes: packed })
    .where('id', '=', id)
    .execute();
  return { count: events.length, bytes: packed.length };
}
