import type { Migration } from '../migration.ts';

/** Due work of embedded network servers. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('ns_due')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('turn', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_due_key', ['network_server_id', 'kind', 'key'])
    .execute();
  await db.schema.createIndex('ns_due_at').on('ns_due').columns(['network_server_id', 'due_at']).execute();
};
