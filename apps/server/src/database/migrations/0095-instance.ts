import type { Migration } from '../migration.ts';

/** The instances that work on this database; which of them are there, locks say. */
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
