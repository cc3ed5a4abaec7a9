import type { Database } from '../../database/database.ts';
import { uuidBytes } from '../../identifiers.ts';
import type { Networks } from '../../network/network-servers.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import type { Deletion, Trash } from '../trash/trash.ts';
import { loadGroup, lockGroups, removeGroup } from './store.ts';

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

interface GroupRemovalDependencies {
  database: Database;
  networks: Networks;
  trash: Trash;
}

/** Removes all groups of an application, batch by batch. */
export async function removeGroupsOfApplication(
  needs: GroupRemovalDependencies,
  applicationID: number,
  deletion: Deletion,
): Promise<void> {
  while (await removeSome(needs, applicationID, deletion));
}

/** Whether there may be more. */
async function removeSome(
  needs: GroupRemovalDependencies,
  applicationID: number,
  deletion: Deletion,
): Promise<boolean> {
  const { database, trash } = needs;
  const groups = database.query
    .selectFrom('multicast_group')
    .select('id')
    .where('application_id', '=', applicationID)
    .limit(slice);
  const ids = (await groups.execute()).map(({ id }) => id);
  if (ids.length === 0) return false;
  const remote = await trash.readRemote('MULTICAST_GROUP', ids);
  await database.transaction(async () => {
    // Another call may be removing the same ones.
    const locked = await lockGroups(database, applicationID, ids);
    await trash.add(deletion, 'MULTICAST_GROUP', locked, remote);
    for (const id of locked) await removeMulticastGroup(needs, id);
  });
  return ids.length === slice;
}
