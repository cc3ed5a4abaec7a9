import type { Migration } from '../migration.ts';

/** The first release without code for this table. */
export const contract = '0.1.0';

export const up: Migration = async (db) => {
  await db.schema.dropTable('delivery_effect').execute();
};
