import type { Migration } from '../migration.ts';

/** The share of uplinks that were lost, in percent, so that lists can be filtered by it; null as long as none was. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('device').addColumn('loss', 'double precision').execute();
};
