import type { Database } from '../../database/database.ts';
import type { Principals } from '../../identity/principals.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { releaseQuota } from '../organization-quota.ts';
import { endCertificateConnections } from './end-certificates.ts';

/** Rows per transaction: uplinks and other writes wait for it. */
const slice = 100;

interface GatewayRemovalDependencies {
  database: Database;
  networks: Networks;
  statistics: Statistics;
  principals: Principals;
}

/** Removes all gateways of an organization, here and at their network servers, batch by batch. */
export async function removeGatewaysOfOrganization(
  needs: GatewayRemovalDependencies,
  organizationID: number,
): Promise<void> {
  const { database } = needs;
  while (await database.transaction(() => removeSome(needs, organizationID)));
}

/** Whether there may be more. */
async function removeSome(needs: GatewayRemovalDependencies, organizationID: number): Promise<boolean> {
  const { database, networks, statistics } = needs;
  const { query } = database;
  const gateways = await query
    .selectFrom('gateway')
    .select(['id', 'network_server_id'])
    .where('organization_id', '=', organizationID)
    .limit(slice)
    .execute();
  if (gateways.length === 0) return false;
  for (const { id, network_server_id } of gateways) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteGateway({ id: Uint8Array.fromHex(id) }));
  }
  const ids = gateways.map(({ id }) => id);
  await endCertificateConnections(needs, ids);
  // Another call may be removing the same ones.
  const { numDeletedRows } = await query.deleteFrom('gateway').where('id', 'in', ids).executeTakeFirstOrThrow();
  await statistics.remove(ids.map((id) => `gateway:${id}`));
  await releaseQuota(database, organizationID, 'gateway', Number(numDeletedRows));
  return gateways.length === slice;
}
