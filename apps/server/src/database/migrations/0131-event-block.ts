import { sql } from 'kysely';
import { createHistoryTables } from '../history-tables.ts';
import type { Migration } from '../migration.ts';

/** Sealed events. On SQLite they are in a file of their own. */
export const up: Migration = async (db, kind) => {
  if (kind === 'sqlite') return;
  await createHistoryTables(db, kind);
  // Packed bytes would not become smaller.
  await sql`alter table event_block alter column bytes set storage external`.execute(db);
};
