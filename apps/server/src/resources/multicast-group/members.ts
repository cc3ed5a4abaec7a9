import { atField, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';
import { uuidBytes } from '../../identifiers.ts';
import type { Networks } from '../../network/network-servers.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { applicationIDOfDevice, loadGroup, lockGroup } from './store.ts';

/** Adds a device to a group: here for lists, and at the network server for sending. Call it in a transaction. */
export async function addMember(
  { database, networks }: { database: Database; networks: Networks },
  groupID: string,
  devEUI: string,
): Promise<void> {
  const group = await loadGroup(database, groupID);
  if ((await applicationIDOfDevice(database, devEUI)) !== group.application_id)
    throw atField('devEUI', refusal('OTHER_APPLICATION', { devEUI }));
  const { numInsertedOrUpdatedRows } = await database.query
    .insertInto('multicast_group_device')
    .values({ multicast_group_id: groupID, dev_eui: devEUI })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  if (Number(numInsertedOrUpdatedRows) === 0) throw atField('devEUI', refusal('IN_GROUP_ALREADY', { devEUI }));
  const network = await networks.of(group.network_server_id);
  await network.addDeviceToMulticastGroup(atNetwork(groupID, devEUI));
}

/** Removes a device from a group. Call it in a transaction. */
export async function removeMember(
  { database, networks }: { database: Database; networks: Networks },
  groupID: string,
  devEUI: string,
): Promise<void> {
  const group = await loadGroup(database, groupID);
  await lockGroup(database, groupID);
  const { numDeletedRows } = await database.query
    .deleteFrom('multicast_group_device')
    .where('multicast_group_id', '=', groupID)
    .where('dev_eui', '=', devEUI)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw refusal('NOT_IN_GROUP', { devEUI });
  const network = await networks.of(group.network_server_id);
  await ignoreNotFound(network.removeDeviceFromMulticastGroup(atNetwork(groupID, devEUI)));
}

/** Removes a device that leaves its application from its groups. Call it in a transaction. */
export async function removeFromAllGroups(
  needs: { database: Database; networks: Networks },
  devEUI: string,
): Promise<void> {
  for (const { multicast_group_id } of await groupsOf(needs.database).all({ devEUI }))
    await removeMember(needs, multicast_group_id, devEUI);
}

const groupsOf = statement<RowOf<'multicast_group_device', 'multicast_group_id'>>()({
  sql: 'select multicast_group_id from multicast_group_device where dev_eui = $devEUI',
  given: { devEUI: 'text' },
  batch: {},
});

function atNetwork(groupID: string, devEUI: string) {
  return { multicastGroupId: uuidBytes(groupID), devEui: Uint8Array.fromHex(devEUI) };
}
