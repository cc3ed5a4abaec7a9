import { bytesType, type Migration } from '../migration.ts';

/** Multicast-groups: the records of the application server, and the state of embedded network servers. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('multicast_group')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('application_id', 'bigint', (c) => c.notNull().references('application.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('mc_app_s_key', bytesType(kind), (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('multicast_group_application')
    .on('multicast_group')
    .columns(['application_id', 'name'])
    .execute();
  await db.schema
    .createTable('multicast_group_device')
    .addColumn('multicast_group_id', 'text', (c) => c.notNull().references('multicast_group.id').onDelete('cascade'))
    .addColumn('dev_eui', 'text', (c) => c.notNull().references('device.dev_eui').onDelete('cascade'))
    .addPrimaryKeyConstraint('multicast_group_device_key', ['multicast_group_id', 'dev_eui'])
    .execute();
  await db.schema.createIndex('multicast_group_of_device').on('multicast_group_device').column('dev_eui').execute();
  await db.schema
    .createTable('ns_multicast_counter')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('group_id', 'text', (c) => c.notNull())
    .addColumn('f_cnt', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_multicast_counter_key', ['network_server_id', 'group_id'])
    .execute();
  await db.schema
    .createTable('ns_multicast_member')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('group_id', 'text', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_multicast_member_key', ['network_server_id', 'group_id', 'dev_eui'])
    .execute();
  await db.schema
    .createIndex('ns_multicast_of_device')
    .on('ns_multicast_member')
    .columns(['network_server_id', 'dev_eui'])
    .execute();
  await db.schema
    .createTable('ns_multicast_item')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('group_id', 'text', (c) => c.notNull())
    .addColumn('f_cnt', 'bigint', (c) => c.notNull())
    .addColumn('gateway_id', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_multicast_item_key', ['network_server_id', 'group_id', 'gateway_id', 'f_cnt'])
    .execute();
  await db.schema
    .createIndex('ns_multicast_at_gateway')
    .on('ns_multicast_item')
    .columns(['network_server_id', 'gateway_id', 'at'])
    .execute();
};
