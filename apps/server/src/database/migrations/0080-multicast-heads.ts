import type { Migration } from '../migration.ts';

/** An index for the next item of each multicast-group at one gateway, which is queried every two seconds. */
export const up: Migration = async (db) => {
  await db.schema
    .createIndex('ns_multicast_head')
    .on('ns_multicast_item')
    .columns(['network_server_id', 'gateway_id', 'group_id', 'f_cnt'])
    .execute();
};
