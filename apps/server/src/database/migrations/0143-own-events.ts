import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Events that only the history shows belong to no application and are found by their device. */
export const up: Migration = async (db, kind) => {
  const concurrently = sql.raw(kind === 'postgres' ? 'concurrently' : '');
  await sql`drop index ${concurrently} if exists event_own`.execute(db);
  await sql`create index ${concurrently} event_own on event (dev_eui, at) where application_id = 0`.execute(db);
};

export const isOutside = true;
