import type { Migration } from '../migration.ts';

/** The steady time, by which old statistics are removed. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('retention')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
};
