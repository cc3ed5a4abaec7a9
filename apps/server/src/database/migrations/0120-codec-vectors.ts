import type { Migration } from '../migration.ts';

/** The test vectors of the codec of a device-profile, as one JSON list. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('codec_vectors')
    .addColumn('device_profile_id', 'text', (column) =>
      column.primaryKey().references('device_profile.id').onDelete('cascade'),
    )
    .addColumn('vectors', 'text', (column) => column.notNull())
    .execute();
};
