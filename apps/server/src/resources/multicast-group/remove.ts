import type { Database } from '../../database/database.ts';
import { uuidBytes } from '../../identifiers.ts';
import type { Networks } from '../../network/network-servers.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { loadGroup, removeGroup } from './store.ts';

/** Removes a group, here and at its network server; its devices stay. Call it in a transaction. */
export async function removeMulticastGroup(
  { database, networks }: { database: Database; networks: Networks },
  id: string,
): Promise<void> {
  const { network_server_id } = await loadGroup(database, id);
  await removeGroup(database, id);
  const network = await networks.of(network_server_id);
  await ignoreNotFound(network.deleteMulticastGroup({ id: uuidBytes(id) }));
}

/** Rows per transaction: uplinks and other writes wait for it. */
const slice = 50;

/** Removes all groups of an application, batch by batch. */
export async function removeGroupsOfApplication(
  needs: { database: Database; networks: Networks },
  applicationID: number,
): Promise<void> {
  while (await needs.database.transaction(() => removeSome(needs, applicationID)));
}

/** Whether there may be more. */
async function removeSome(needs: { database: Database; networks: Networks }, applicationID: number): Promise<boolean> {
  const groups = await needs.database.query
    .selectFrom('multicast_group')
    .select('id')
    .where('application_id', '=', applicationID)
    .limit(slice)
    .execute();
  for (const { id } of groups) await removeMulticastGroup(needs, id);
  return groups.length === slice;
}
