import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** An organization has one integration of each kind. */
export const up: Migration = async (db, kind) => {
  const concurrently = sql.raw(kind === 'postgres' ? 'concurrently' : '');
  await sql`drop index ${concurrently} if exists integration_organization`.execute(db);
  await sql`create unique index ${concurrently} integration_organization on integration (organization_id, kind)`.execute(
    db,
  );
};

export const isOutside = true;
