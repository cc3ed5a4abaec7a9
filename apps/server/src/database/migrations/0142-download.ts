import type { Migration } from '../migration.ts';

/** Links to downloads that nobody has used yet. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('download')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('person', 'text', (c) => c.notNull())
    .addColumn('caller', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('format', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .execute();
};
