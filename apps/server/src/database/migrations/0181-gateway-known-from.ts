import type { Migration } from '../migration.ts';

/** Since when outages of a gateway are stored: before that, nothing is known. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('gateway').addColumn('outages_from', 'timestamptz').execute();
};
