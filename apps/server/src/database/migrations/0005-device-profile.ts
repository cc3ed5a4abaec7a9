import type { Migration } from '../migration.ts';

export const up: Migration = async (db) => {
  await db.schema
    .createTable('device_profile')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id'))
    .addColumn('network_server_id', 'bigint', (c) => c.notNull().references('network_server.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('payload_codec', 'text', (c) => c.notNull())
    .addColumn('payload_encoder_script', 'text', (c) => c.notNull())
    .addColumn('payload_decoder_script', 'text', (c) => c.notNull())
    .addColumn('tags', 'jsonb', (c) => c.notNull())
    .addColumn('uplink_interval_ms', 'double precision', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('device_profile_order')
    .on('device_profile')
    .columns(['organization_id', 'name', 'id'])
    .execute();
  await db.schema
    .createIndex('device_profile_network_server')
    .on('device_profile')
    .column('network_server_id')
    .execute();
};
