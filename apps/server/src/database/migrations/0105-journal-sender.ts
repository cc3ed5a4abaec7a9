import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Among several instances whoever comes to a later uplink of a device looks for earlier ones in the journal, whose text
 * begins alike for all uplinks under one DevAddr. A process that works alone never asks, and its rows are left out.
 */
export const up: Migration = async (db, kind) => {
  if (kind === 'sqlite') return;
  await sql`drop index concurrently if exists ns_journal_beginning`.execute(db);
  await sql`create index concurrently ns_journal_beginning on "ns_journal"
    (network_server_id, (left(copy, 21) collate "C")) where holder is not null`.execute(db);
};

export const isOutside = true;
