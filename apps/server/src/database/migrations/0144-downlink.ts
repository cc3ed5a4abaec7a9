import { bytesType, type Migration } from '../migration.ts';

/** The downlinks of devices with what happened to each. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('downlink')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('dev_eui', 'text', (c) => c.notNull().references('device.dev_eui').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('f_port', 'integer', (c) => c.notNull())
    .addColumn('confirmed', 'boolean', (c) => c.notNull())
    .addColumn('data', bytesType(kind), (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('reference', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('is_open', 'boolean', (c) => c.notNull().defaultTo(true))
    .addColumn('f_cnt', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('expires_at', 'bigint')
    .addColumn('steps', 'text', (c) => c.notNull())
    .addColumn('step_count', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('last_step', 'text', (c) => c.notNull().defaultTo('QUEUED'))
    .execute();
  await db.schema.createIndex('downlink_device').on('downlink').columns(['dev_eui', 'id']).execute();
};
