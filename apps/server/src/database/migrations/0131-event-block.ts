import { createHistoryTables } from '../history-tables.ts';
import type { Migration } from '../migration.ts';

/** Sealed events. On SQLite they are in a file of their own. */
export const up: Migration = async (db, kind) => {
  if (kind === 'postgres') await createHistoryTables(db, kind);
};
