import type { Migration } from '../migration.ts';

/** What lists show of a device-profile beside its name, as its network server stores it; null until it is known. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('device_profile').addColumn('mac_version', 'text').execute();
  await db.schema.alterTable('device_profile').addColumn('supports_class_b', 'boolean').execute();
  await db.schema.alterTable('device_profile').addColumn('supports_class_c', 'boolean').execute();
};
