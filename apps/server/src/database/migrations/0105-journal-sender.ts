import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Among several instances, the one that processes a later uplink of a device searches the journal for earlier ones,
 * whose text begins alike for all uplinks with one DevAddr. A single process never searches, so its rows are not
 * indexed.
 */
export const up: Migration = async (db, kind) => {
  if (kind === 'sqlite') return;
  await sql`drop index concurrently if exists ns_journal_beginning`.execute(db);
  await sql`create index concurrently ns_journal_beginning on "ns_journal"
    (network_server_id, (left(copy, 21) collate "C")) where holder is not null`.execute(db);
};

export const isOutside = true;
