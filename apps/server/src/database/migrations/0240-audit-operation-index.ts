import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Each entry of the audit log was written to five indexes, which took most of its time. Only lists of one operation in
 * all organizations used this one.
 */
export const up: Migration = async (db, kind) => {
  const concurrently = kind === 'postgres' ? sql`concurrently` : sql``;
  await sql`drop index ${concurrently} if exists audit_operation`.execute(db);
};

export const isOutside = true;
