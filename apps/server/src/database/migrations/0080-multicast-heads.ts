import type { Migration } from '../migration.ts';

/** What leaves next for each multicast-group at one gateway is asked for every two seconds. */
export const up: Migration = async (db) => {
  await db.schema
    .createIndex('ns_multicast_head')
    .on('ns_multicast_item')
    .columns(['network_server_id', 'gateway_id', 'group_id', 'f_cnt'])
    .execute();
};
