import type { Migration } from '../migration.ts';

/** Whether a device is disabled, as its network server stores it; null until it is known. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('device').addColumn('is_disabled', 'boolean').execute();
};
