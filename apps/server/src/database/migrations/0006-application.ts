import { type Migration, serialKey } from '../migration.ts';

export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('application')
    .addColumn('id', ...serialKey(kind))
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id'))
    .addColumn('service_profile_id', 'text', (c) => c.notNull().references('service_profile.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('payload_codec', 'text', (c) => c.notNull())
    .addColumn('payload_encoder_script', 'text', (c) => c.notNull())
    .addColumn('payload_decoder_script', 'text', (c) => c.notNull())
    .addColumn('mqtt_tls_cert', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('search_text', 'text', (c) => c.notNull())
    .addColumn('device_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .addUniqueConstraint('application_name', ['organization_id', 'name'])
    .execute();
  await db.schema.createIndex('application_order').on('application').columns(['name', 'id']).execute();
  await db.schema.createIndex('application_service_profile').on('application').column('service_profile_id').execute();
};
