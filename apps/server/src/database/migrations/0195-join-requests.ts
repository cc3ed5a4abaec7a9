import { bytesType, type Migration } from '../migration.ts';

/** The last join-requests of each device, and devices that are heard and not registered. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('join_log')
    .addColumn('dev_eui', 'text', (c) => c.primaryKey().references('device.dev_eui').onDelete('cascade'))
    .addColumn('lines', 'text', (c) => c.notNull())
    .addColumn('last_frame', bytesType(kind), (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('unknown_device')
    .addColumn('dev_eui', 'text', (c) => c.primaryKey())
    .addColumn('join_eui', 'text', (c) => c.notNull())
    .addColumn('dev_nonce', 'bigint', (c) => c.notNull())
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('region', 'text', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('times', 'bigint', (c) => c.notNull())
    .addColumn('gateways', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('unknown_device_last_at').on('unknown_device').column('last_at').execute();
  await db.schema.createIndex('unknown_device_join_eui').on('unknown_device').column('join_eui').execute();
  await db.schema
    .createTable('unknown_device_left_out')
    .addColumn('gateway_id', 'text', (c) => c.notNull())
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('times', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('unknown_device_left_out_key', ['gateway_id', 'day'])
    .execute();
  await db.schema
    .createTable('hidden_unknown_device')
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('hidden_unknown_device_key', ['organization_id', 'dev_eui'])
    .execute();
};
