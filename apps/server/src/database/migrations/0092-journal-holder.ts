import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Which process of several has a copy in hand, and since when: others take it up once that one has ended. A database
 * that one process alone works on leaves both empty, but for the time, which PostgreSQL fills in.
 */
export const up: Migration = async (db, kind) => {
  await db.schema.alterTable('ns_journal').addColumn('holder', 'text').execute();
  await db.schema
    .alterTable('ns_journal')
    .addColumn('held_since', 'timestamptz', (c) => (kind === 'postgres' ? c.defaultTo(sql`clock_timestamp()`) : c))
    .execute();
};
