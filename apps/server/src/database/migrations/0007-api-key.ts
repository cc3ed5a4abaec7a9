import type { Migration } from '../migration.ts';

export const up: Migration = async (db) => {
  await db.schema
    .createTable('api_key')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('is_admin', 'boolean', (c) => c.notNull())
    .addColumn('organization_id', 'bigint', (c) => c.references('organization.id').onDelete('cascade'))
    .addColumn('application_id', 'bigint', (c) => c.references('application.id').onDelete('cascade'))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('api_key_organization').on('api_key').column('organization_id').execute();
  await db.schema.createIndex('api_key_application').on('api_key').column('application_id').execute();
};
