import type { Migration } from '../migration.ts';

export const up: Migration = async (db) => {
  await db.schema
    .createTable('service_profile')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id'))
    .addColumn('network_server_id', 'bigint', (c) => c.notNull().references('network_server.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('service_profile_order')
    .on('service_profile')
    .columns(['organization_id', 'name', 'id'])
    .execute();
  await db.schema
    .createIndex('service_profile_network_server')
    .on('service_profile')
    .column('network_server_id')
    .execute();
};
