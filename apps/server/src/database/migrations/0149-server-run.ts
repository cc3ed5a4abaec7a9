import type { Migration } from '../migration.ts';

/** When servers ran on this database: uplinks between two runs could not be received. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('server_run')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('instance', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();
};
