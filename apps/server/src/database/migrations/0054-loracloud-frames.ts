import type { Migration } from '../migration.ts';

/** Frames of a device that wait for others to be located together. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('loracloud_frames')
    .addColumn('dev_eui', 'text', (c) => c.primaryKey().references('device.dev_eui').onDelete('cascade'))
    .addColumn('buffer', 'jsonb', (c) => c.notNull())
    .execute();
};
