import { bytesType, type Migration } from '../migration.ts';

export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('device')
    .addColumn('dev_eui', 'text', (c) => c.primaryKey())
    .addColumn('application_id', 'bigint', (c) => c.notNull().references('application.id'))
    .addColumn('device_profile_id', 'text', (c) => c.notNull().references('device_profile.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('tags', 'jsonb', (c) => c.notNull())
    .addColumn('variables', 'jsonb', (c) => c.notNull())
    .addColumn('search_text', 'text', (c) => c.notNull())
    .addColumn('last_seen_at', 'timestamptz')
    .addColumn('dr', 'bigint')
    .addColumn('event_seq', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('dev_addr', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('app_s_key', bytesType(kind), (c) => c.notNull())
    .addColumn('battery_level', 'double precision')
    .addColumn('external_power_source', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('margin', 'bigint')
    .addColumn('latitude', 'double precision')
    .addColumn('longitude', 'double precision')
    .addColumn('altitude', 'double precision')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .addUniqueConstraint('device_name', ['application_id', 'name'])
    .execute();
  await db.schema.createIndex('device_order').on('device').columns(['name', 'dev_eui']).execute();
  await db.schema.createIndex('device_device_profile').on('device').column('device_profile_id').execute();
  await db.schema.createIndex('device_dev_addr').on('device').column('dev_addr').execute();
  await db.schema
    .createTable('device_keys')
    .addColumn('dev_eui', 'text', (c) => c.primaryKey().references('device.dev_eui').onDelete('cascade'))
    .addColumn('nwk_key', bytesType(kind), (c) => c.notNull())
    .addColumn('app_key', bytesType(kind), (c) => c.notNull())
    .addColumn('join_nonce', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('device_event')
    .addColumn('dev_eui', 'text', (c) => c.notNull().references('device.dev_eui').onDelete('cascade'))
    .addColumn('slot', 'bigint', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('payload_json', 'text', (c) => c.notNull())
    .addColumn('published_at', 'text', (c) => c.notNull())
    .addColumn('stream_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('device_event_key', ['dev_eui', 'slot'])
    .execute();
};
