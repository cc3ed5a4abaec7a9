import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** The devices of earlier releases whose network server is still to be asked whether they are disabled. */
export const up: Migration = async (db, kind) => {
  const concurrently = sql.raw(kind === 'postgres' ? 'concurrently' : '');
  await sql`drop index ${concurrently} if exists device_disabled_unknown`.execute(db);
  await sql`create index ${concurrently} device_disabled_unknown on device (dev_eui) where is_disabled is null`.execute(
    db,
  );
};

export const isOutside = true;
