import type { Kysely } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * The progress of a fold on SQLite: facts up to number `upto` are in the buckets of subjects up to `subject`, although
 * their rows still exist.
 */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('metric_fold')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('upto', 'bigint', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .execute();
  const query = db as Kysely<{ metric_fold: { id: number; upto: number; subject: string } }>;
  await query.insertInto('metric_fold').values({ id: 1, upto: 0, subject: '' }).execute();
};
