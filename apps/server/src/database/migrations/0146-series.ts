import { createSeriesTables } from '../history-tables.ts';
import type { Migration } from '../migration.ts';

/** Values over time. On SQLite they are in the file of the history. */
export const up: Migration = async (db, kind) => {
  if (kind === 'postgres') await createSeriesTables(db, kind);
};
