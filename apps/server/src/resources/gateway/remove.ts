import type { Database } from '../../database/database.ts';
import type { Principals } from '../../identity/principals.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { releaseQuota } from '../organization-quota.ts';
import type { Deletion, Trash } from '../trash/trash.ts';
import { endCertificateConnections } from './end-certificates.ts';

/** Rows per transaction: uplinks and other writes wait for it. */
const slice = 50;

interface GatewayRemovalDependencies {
  database: Database;
  networks: Networks;
  statistics: Statistics;
  principals: Principals;
  trash: Trash;
}

/** Removes all gateways of an organization, here and at their network servers, batch by batch. */
export async function removeGatewaysOfOrganization(
  needs: GatewayRemovalDependencies,
  organizationID: number,
  deletion: Deletion,
): Promise<void> {
  while (await removeSome(needs, organizationID, deletion));
}

/** Whether there may be more. */
async function removeSome(
  needs: GatewayRemovalDependencies,
  organizationID: number,
  deletion: Deletion,
): Promise<boolean> {
  const { database, trash } = needs;
  const gateways = database.query.selectFrom('gateway').select('id').where('organization_id', '=', organizationID);
  const ids = (await gateways.limit(slice).execute()).map(({ id }) => id);
  if (ids.length === 0) return false;
  const remote = await trash.readRemote('GATEWAY', ids);
  await database.transaction(async () => {
    await trash.add(deletion, 'GATEWAY', ids, remote);
    await removeThese(needs, organizationID, ids);
  });
  return ids.length === slice;
}

async function removeThese(
  needs: GatewayRemovalDependencies,
  organizationID: number,
  ids: readonly string[],
): Promise<void> {
  const { database, networks, statistics } = needs;
  const { query } = database;
  const gateways = await query
    .selectFrom('gateway')
    .select(['id', 'network_server_id'])
    .where('id', 'in', ids)
    .where('organization_id', '=', organizationID)
    .execute();
  if (gateways.length === 0) return;
  for (const { id, network_server_id } of gateways) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteGateway({ id: Uint8Array.fromHex(id) }));
  }
  const found = gateways.map(({ id }) => id);
  await endCertificateConnections(needs, found);
  // Another call may be removing the same ones.
  const { numDeletedRows } = await query.deleteFrom('gateway').where('id', 'in', found).executeTakeFirstOrThrow();
  await statistics.remove(found.map((id) => `gateway:${id}`));
  await releaseQuota(database, organizationID, 'gateway', Number(numDeletedRows));
}
