import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Finds the integrations of an organization. */
export const up: Migration = async (db, kind) => {
  const concurrently = sql.raw(kind === 'postgres' ? 'concurrently' : '');
  await sql`drop index ${concurrently} if exists integration_organization`.execute(db);
  await sql`create index ${concurrently} integration_organization on integration (organization_id)`.execute(db);
};

export const isOutside = true;
