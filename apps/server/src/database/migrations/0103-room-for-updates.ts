import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Each uplink writes these rows anew. PostgreSQL leaves their indexes alone as long as the new version has room beside the
 * old one.
 */
export const up: Migration = async (db, kind) => {
  if (kind === 'sqlite') return;
  await sql`alter table ns_session set (fillfactor = 50)`.execute(db);
  await sql`alter table device set (fillfactor = 80)`.execute(db);
};
