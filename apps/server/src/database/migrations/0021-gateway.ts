import type { Migration } from '../migration.ts';

export const up: Migration = async (db) => {
  await db.schema
    .createTable('gateway')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id'))
    .addColumn('network_server_id', 'bigint', (c) => c.notNull().references('network_server.id'))
    .addColumn('gateway_profile_id', 'text', (c) => c.references('gateway_profile.id'))
    .addColumn('service_profile_id', 'text', (c) => c.references('service_profile.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('discovery_enabled', 'boolean', (c) => c.notNull())
    .addColumn('latitude', 'double precision', (c) => c.notNull())
    .addColumn('longitude', 'double precision', (c) => c.notNull())
    .addColumn('altitude', 'double precision', (c) => c.notNull())
    .addColumn('location_source', 'text', (c) => c.notNull())
    .addColumn('location_accuracy', 'bigint', (c) => c.notNull())
    .addColumn('tags', 'jsonb', (c) => c.notNull())
    .addColumn('metadata', 'jsonb', (c) => c.notNull())
    .addColumn('first_seen_at', 'timestamptz')
    .addColumn('last_seen_at', 'timestamptz')
    .addColumn('search_text', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .addUniqueConstraint('gateway_name', ['organization_id', 'name'])
    .execute();
  await db.schema.createIndex('gateway_order').on('gateway').columns(['name', 'id']).execute();
  await db.schema.createIndex('gateway_network_server').on('gateway').column('network_server_id').execute();
  await db.schema.createIndex('gateway_gateway_profile').on('gateway').column('gateway_profile_id').execute();
  await db.schema.createIndex('gateway_service_profile').on('gateway').column('service_profile_id').execute();
};
