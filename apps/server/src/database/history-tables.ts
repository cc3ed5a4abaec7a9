import type { Kysely } from 'kysely';
import type { DatabaseKind } from './database.ts';
import { bytesType, serialKey } from './migration.ts';

/** The tables of the history: of the database on PostgreSQL, of a file of their own on SQLite. */
export async function createHistoryTables(db: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable('event_block')
    .addColumn('id', ...serialKey(kind))
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('from_at', 'bigint', (c) => c.notNull())
    .addColumn('from_seq', 'bigint', (c) => c.notNull())
    .addColumn('to_at', 'bigint', (c) => c.notNull())
    .addColumn('to_seq', 'bigint', (c) => c.notNull())
    .addColumn('from_pos', 'bigint', (c) => c.notNull())
    .addColumn('to_pos', 'bigint', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addColumn('kinds', 'integer', (c) => c.notNull())
    .addColumn('unpacked', 'integer', (c) => c.notNull())
    .addColumn('bytes', bytesType(kind), (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('event_block_device')
    .unique()
    .on('event_block')
    .columns(['dev_eui', 'to_at', 'to_seq'])
    .execute();
  await db.schema.createIndex('event_block_time').on('event_block').columns(['to_at']).execute();
  await db.schema
    .createTable('history_state')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('sealed_pos', 'bigint', (c) => c.notNull())
    .addColumn('events', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .execute();
  const query = db as Kysely<{ history_state: { id: number; sealed_pos: number; events: number; bytes: number } }>;
  await query.insertInto('history_state').values({ id: 1, sealed_pos: 0, events: 0, bytes: 0 }).execute();
}

/** The tables of the series of values, beside those of the history. */
export async function createSeriesTables(db: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable('series_day')
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('from_pos', 'bigint', (c) => c.notNull())
    .addColumn('to_pos', 'bigint', (c) => c.notNull())
    .addColumn('bytes', bytesType(kind), (c) => c.notNull())
    .addPrimaryKeyConstraint('series_day_key', ['dev_eui', 'day'])
    .execute();
  await db.schema.createIndex('series_day_time').on('series_day').columns(['day']).execute();
  await db.schema
    .createTable('series_device')
    .addColumn('dev_eui', 'text', (c) => c.primaryKey())
    .addColumn('from_pos', 'bigint', (c) => c.notNull())
    .addColumn('fields', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .alterTable('history_state')
    .addColumn('series_bytes', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}
