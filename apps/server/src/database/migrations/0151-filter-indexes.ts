import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Few devices are disabled, and few errors are recent: filters begin with them. */
export const up: Migration = async (db, kind) => {
  const concurrently = sql.raw(kind === 'postgres' ? 'concurrently' : '');
  for (const [name, rows] of Object.entries(indexes)) {
    await sql`drop index ${concurrently} if exists ${sql.ref(name)}`.execute(db);
    await sql`create index ${concurrently} ${sql.ref(name)} on ${sql.raw(rows)}`.execute(db);
  }
};

const indexes = {
  device_disabled: 'device (application_id, dev_eui) where is_disabled',
  last_error_kind: 'last_error (kind, at, dev_eui)',
};

export const isOutside = true;
