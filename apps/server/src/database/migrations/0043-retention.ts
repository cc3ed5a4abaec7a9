import type { Migration } from '../migration.ts';

/** How far the time by which old statistics are removed has come. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('retention')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
};
