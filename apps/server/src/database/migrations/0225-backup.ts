import type { Migration } from '../migration.ts';

/** Scheduled backups. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('backup')
    .addColumn('file', 'text', (c) => c.primaryKey())
    .addColumn('instance', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('problem', 'text', (c) => c.notNull())
    .execute();
};
