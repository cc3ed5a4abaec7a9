import type { Migration } from '../migration.ts';

/** The device library: what is installed, its models with vendors and codecs, and the device-profiles made from them. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('library')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('installed_at', 'timestamptz', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('license', 'text', (c) => c.notNull())
    .addColumn('changes', 'text', (c) => c.notNull())
    .addColumn('problem_count', 'integer', (c) => c.notNull())
    .addColumn('problems', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('library_vendor')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('vendor_id', 'integer', (c) => c.notNull())
    .addColumn('homepage', 'text', (c) => c.notNull())
    .addColumn('license', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('library_codec')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('vendor', 'text', (c) => c.notNull())
    .addColumn('script', 'text', (c) => c.notNull())
    .addColumn('vectors', 'text', (c) => c.notNull())
    .addColumn('vector_count', 'integer', (c) => c.notNull())
    .addColumn('pass_count', 'integer', (c) => c.notNull())
    .addColumn('copyright', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('library_model')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('device_profile_id', 'text', (c) => c.references('device_profile.id').onDelete('cascade'))
    .addColumn('vendor', 'text', (c) => c.notNull())
    .addColumn('vendor_name', 'text', (c) => c.notNull())
    .addColumn('vendor_id', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('search', 'text', (c) => c.notNull())
    .addColumn('regions', 'text', (c) => c.notNull())
    .addColumn('profile_ids', 'text', (c) => c.notNull())
    .addColumn('vector_count', 'integer', (c) => c.notNull())
    .addColumn('pass_count', 'integer', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('library_model_device_profile')
    .on('library_model')
    .column('device_profile_id')
    .unique()
    .execute();
  await db.schema
    .createTable('library_use')
    .addColumn('device_profile_id', 'text', (c) => c.primaryKey().references('device_profile.id').onDelete('cascade'))
    .addColumn('model_id', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('profile_id', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('library_use_model').on('library_use').column('model_id').execute();
};
