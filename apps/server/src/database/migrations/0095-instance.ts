import type { Migration } from '../migration.ts';

/** The instances that work on this database; locks show which of them are live. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('instance')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('lock_number', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('started_at', 'timestamptz', (c) => c.notNull())
    .addColumn('agreement', 'text', (c) => c.notNull())
    .execute();
};
