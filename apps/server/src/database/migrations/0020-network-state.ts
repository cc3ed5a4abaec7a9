import { bytesType, type Migration, serialKey } from '../migration.ts';

/** The durable state of the embedded network servers. Regions share the tables, but no rows. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('ns_record')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('body', bytesType(kind), (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_record_key', ['network_server_id', 'kind', 'id'])
    .execute();
  await db.schema
    .createTable('ns_session')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('dev_addr', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('keys', bytesType(kind), (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_session_key', ['network_server_id', 'dev_eui', 'role'])
    .execute();
  await db.schema
    .createIndex('ns_session_dev_addr')
    .on('ns_session')
    .columns(['network_server_id', 'dev_addr'])
    .execute();
  await db.schema
    .createTable('ns_queue_item')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('f_cnt', 'bigint', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_queue_item_key', ['network_server_id', 'dev_eui', 'id'])
    .execute();
  await db.schema
    .createTable('ns_activation')
    .addColumn('id', ...serialKey(kind))
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('join_eui', 'text', (c) => c.notNull())
    .addColumn('join_type', 'text', (c) => c.notNull())
    .addColumn('dev_nonce', 'bigint', (c) => c.notNull())
    .addColumn('dev_addr', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('ns_activation_nonce', ['network_server_id', 'dev_eui', 'join_eui', 'join_type', 'dev_nonce'])
    .execute();
  await db.schema
    .createTable('ns_journal')
    .addColumn('id', ...serialKey(kind))
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('copy', 'text', (c) => c.notNull())
    .execute();
};
