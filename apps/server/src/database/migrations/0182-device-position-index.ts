import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Few devices have a position. */
export const up: Migration = async (db, kind) => {
  const concurrently = sql.raw(kind === 'postgres' ? 'concurrently' : '');
  await sql`drop index ${concurrently} if exists device_position`.execute(db);
  await sql`create index ${concurrently} device_position on device (application_id, dev_eui)
    where latitude is not null`.execute(db);
};

export const isOutside = true;
