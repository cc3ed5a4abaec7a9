import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Each uplink rewrites these rows. PostgreSQL does not update their indexes as long as the new version has space in the
 * same page.
 */
export const up: Migration = async (db, kind) => {
  if (kind === 'sqlite') return;
  await sql`alter table ns_session set (fillfactor = 50)`.execute(db);
  await sql`alter table device set (fillfactor = 80)`.execute(db);
};
