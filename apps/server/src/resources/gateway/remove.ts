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
    const locked = await lockThese(database, organizationID, ids);
    await trash.add(deletion, 'GATEWAY', idsOf(locked), remote);
    await removeThese(needs, organizationID, locked);
  });
  return ids.length === slice;
}

interface LockedGateway {
  readonly id: string;
  readonly network_server_id: number;
}
const idsOf = (gateways: readonly LockedGateway[]) => gateways.map(({ id }) => id);

/** Those that are still in the organization: another call may be removing the same ones. SQLite has one writer anyway. */
async function lockThese(
  { query, kind }: Database,
  organizationID: number,
  ids: readonly string[],
): Promise<LockedGateway[]> {
  return query
    .selectFrom('gateway')
    .select(['id', 'network_server_id'])
    .where('id', 'in', ids)
    .where('organization_id', '=', organizationID)
    .orderBy('id')
    .$if(kind === 'postgres', (gateways) => gateways.forUpdate())
    .execute();
}

async function removeThese(
  needs: GatewayRemovalDependencies,
  organizationID: number,
  gateways: readonly LockedGateway[],
): Promise<void> {
  if (gateways.length === 0) return;
  const { database, networks, statistics } = needs;
  for (const { id, network_server_id } of gateways) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteGateway({ id: Uint8Array.fromHex(id) }));
  }
  const ids = idsOf(gateways);
  await endCertificateConnections(needs, ids);
  await database.query.deleteFrom('gateway').where('id', 'in', ids).execute();
  await statistics.remove(ids.map((id) => `gateway:${id}`));
  await releaseQuota(database, organizationID, 'gateway', ids.length);
}
