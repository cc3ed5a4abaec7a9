import type { Migration } from '../migration.ts';

/** The first release that does not locate devices through LoRa Cloud. */
export const contract = '0.1.0';

export const up: Migration = async (db) => {
  await db.schema.dropTable('loracloud_frames').execute();
};
