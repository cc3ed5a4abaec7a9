import type { Generated, Kysely } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';
import { bytesType, serialKey } from '../database/migration.ts';

declare module '../database/tables.ts' {
  interface Tables extends HistoryTables {}
}

/** On SQLite in a file of their own, on PostgreSQL in the database. */
export interface HistoryTables {
  event_block: EventBlockTable;
  history_state: HistoryStateTable;
}

/** Packed events of a device, in their order. Blocks of a device do not overlap. */
interface EventBlockTable {
  id: Generated<number>;
  dev_eui: string;
  from_at: number;
  from_seq: number;
  to_at: number;
  to_seq: number;
  /** Positions in the event log, which tell a device from an earlier one with its DevEUI. */
  from_pos: number;
  to_pos: number;
  count: number;
  /** Bits of the kinds that it has. */
  kinds: number;
  /** The size of the events before packing. */
  unpacked: number;
  bytes: Uint8Array;
}

/** One row. */
interface HistoryStateTable {
  id: number;
  /** All events of the log up to this position are sealed. */
  sealed_pos: number;
  /** Sums over all blocks. */
  events: number;
  bytes: number;
}

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
  const query = db as Kysely<HistoryTables>;
  await query.insertInto('history_state').values({ id: 1, sealed_pos: 0, events: 0, bytes: 0 }).execute();
}
