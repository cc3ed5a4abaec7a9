import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * The instance that holds a copy, and since when: others take it over after that one has ended. A single process leaves
 * the holder empty; PostgreSQL sets the time in any case.
 */
export const up: Migration = async (db, kind) => {
  await db.schema.alterTable('ns_journal').addColumn('holder', 'text').execute();
  await db.schema
    .alterTable('ns_journal')
    .addColumn('held_since', 'timestamptz', (c) => (kind === 'postgres' ? c.defaultTo(sql`clock_timestamp()`) : c))
    .execute();
};
