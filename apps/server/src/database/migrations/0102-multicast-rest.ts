import type { Migration } from '../migration.ts';

/** The end of the multicast cooldown of a gateway or multicast-group, for all instances. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('ns_multicast_rest')
    .addColumn('network_server_id', 'bigint', (c) => c.notNull())
    .addColumn('of', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('ns_multicast_rest_key', ['network_server_id', 'of'])
    .execute();
};
