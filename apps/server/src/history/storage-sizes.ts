import type { StoragePartName } from '@hilltop/contract';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import type { HistoryStores } from './stores.ts';

/** What a part of the storage takes. Times are milliseconds since 1970. */
export interface StorageSize {
  readonly part: StoragePartName;
  /** Undefined where only reading all of it would tell. */
  readonly bytes: number | undefined;
  readonly oldestAt: number | undefined;
}

const dayMs = 86_400_000;

/** Reads the sizes of what grows. */
export async function readStorageSizes({ kind, log, blocks }: HistoryStores): Promise<StorageSize[]> {
  const bytesOf = (table: keyof Tables) => (kind === 'sqlite' ? undefined : relationSize(log, table));
  const [event, trash, audit] = [
    await log.selectFrom('event').select('at').orderBy('pos').limit(1).executeTakeFirst(),
    await log
      .selectFrom('trash')
      .select(({ fn }) => [fn.sum<number | null>('bytes').as('bytes'), fn.min('deleted_at').as('oldest')])
      .executeTakeFirstOrThrow(),
    await log.selectFrom('audit').select('at').orderBy('at').orderBy('id').limit(1).executeTakeFirst(),
  ];
  return [
    { part: 'DATABASE', bytes: await databaseSize(log, kind), oldestAt: undefined },
    { part: 'EVENT_LOG', bytes: await bytesOf('event'), oldestAt: event?.at },
    ...(await historySizes(blocks)),
    { part: 'TRASH', bytes: Number(trash.bytes ?? 0), oldestAt: timeOf(trash.oldest) },
    { part: 'AUDIT', bytes: await bytesOf('audit'), oldestAt: timeOf(audit?.at) },
  ];
}

async function historySizes(blocks: HistoryStores['blocks']): Promise<StorageSize[]> {
  if (!blocks) return [];
  const { bytes, series_bytes } = await blocks.read
    .selectFrom('history_state')
    .select(['bytes', 'series_bytes'])
    .executeTakeFirstOrThrow();
  const oldestBlock = blocks.read.selectFrom('event_block').select('to_at').orderBy('to_at').limit(1);
  const oldestDay = blocks.read.selectFrom('series_day').select('day').orderBy('day').limit(1);
  const day = (await oldestDay.executeTakeFirst())?.day;
  return [
    { part: 'HISTORY', bytes, oldestAt: (await oldestBlock.executeTakeFirst())?.to_at },
    { part: 'SERIES', bytes: series_bytes, oldestAt: day === undefined ? undefined : day * dayMs },
  ];
}

/** A time of either database: the connection of the worker answers texts on SQLite. */
const timeOf = (value: Date | string | null | undefined): number | undefined =>
  value ? new Date(value).getTime() : undefined;

async function databaseSize(query: Kysely<Tables>, kind: HistoryStores['kind']): Promise<number> {
  const statement =
    kind === 'sqlite'
      ? sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count, pragma_page_size`
      : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
  return Number((await statement.execute(query)).rows[0]!.bytes);
}

async function relationSize(query: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_total_relation_size(${table}::regclass) as bytes`.execute(
    query,
  );
  return Number(rows[0]!.bytes);
}
