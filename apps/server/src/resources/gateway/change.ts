import { atField, type Gateway, type Location, notFound, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import type { Principal, Principals } from '../../identity/principals.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { claimQuota, releaseQuota } from '../organization-quota.ts';
import type { Trash } from '../trash/trash.ts';
import { endCertificateConnections } from './end-certificates.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import {
  deleteGateway,
  fromRow,
  insertGateway,
  loadGateway,
  lockGateway,
  ownersOfServiceProfile,
  updateGateway,
} from './store.ts';

export interface GatewayChangeDependencies {
  database: Database;
  networks: Networks;
  routingProfileID: Uint8Array;
  clock: Clock;
  statistics: Statistics;
  principals: Principals;
  trash: Trash;
}

/** Creates a gateway in the database and at its network server, in one transaction. */
export async function createGateway(
  { database, networks, clock, routingProfileID }: GatewayChangeDependencies,
  gateway: Gateway,
): Promise<void> {
  await database.transaction(async () => {
    const location = locationOf(gateway);
    const created = await insertGateway(database, gateway, location, clock.now());
    const { organization_id, network_server_id } = created;
    await checkServiceProfile(database, gateway, created);
    await claimQuota(database, organization_id, 'gateway');
    const network = await networks.of(network_server_id);
    try {
      await network.createGateway({ gateway: toNetworkForm(gateway, location, routingProfileID) });
    } catch (error) {
      if (!(error instanceof RpcError && error.code === 'AlreadyExists')) throw error;
    }
  });
}

/** Updates a gateway. Its organization and network server do not change. */
export async function changeGateway(
  { database, networks, clock, routingProfileID }: GatewayChangeDependencies,
  gateway: Gateway,
): Promise<void> {
  await database.transaction(async () => {
    const location = locationOf(gateway);
    const before = await loadGateway(database, gateway.id);
    await checkServiceProfile(database, gateway, before);
    await updateGateway(database, gateway, location, clock.now());
    const network = await networks.of(before.network_server_id);
    // The network server does not change the routing-profile.
    const form = { ...toNetworkForm(gateway, location, routingProfileID), routingProfileId: new Uint8Array() };
    await network.updateGateway({ gateway: form });
  });
}

/** A gateway with all fields. */
export async function readGateway(
  { database, networks }: Pick<GatewayChangeDependencies, 'database' | 'networks'>,
  id: string,
): Promise<Gateway> {
  const row = await loadGateway(database, id);
  const network = await networks.of(row.network_server_id);
  const { gateway } = await network.getGateway({ id: Uint8Array.fromHex(id) });
  if (!gateway) throw notFound('gateway', id);
  return { ...fromRow(row), ...fromNetworkForm(gateway) };
}

/** Changes fields of a gateway as it is now; other fields keep their values. */
export async function editGateway(
  needs: GatewayChangeDependencies,
  id: string,
  edit: (gateway: Gateway) => Gateway,
): Promise<void> {
  await needs.database.transaction(async () => {
    await lockGateway(needs.database, id);
    const gateway = await readGateway(needs, id);
    const edited = edit(gateway);
    if (edited !== gateway) await changeGateway(needs, edited);
  });
}

/** Removes a gateway with its statistics, in the database and at its network server. It goes to the trash. */
export async function removeGateway(needs: GatewayChangeDependencies, id: string, by: Principal): Promise<void> {
  const { database, networks, statistics, trash } = needs;
  await database.transaction(async () => {
    const row = await loadGateway(database, id);
    const network = await networks.of(row.network_server_id);
    const { name, organization_id: organizationID } = row;
    await trash.addWhole({ kind: 'GATEWAY', recordID: id, name, organizationID, by });
    await endCertificateConnections(needs, [id]);
    await deleteGateway(database, id);
    await releaseQuota(database, row.organization_id, 'gateway', 1);
    await statistics.remove([`gateway:${id}`]);
    await ignoreNotFound(network.deleteGateway({ id: Uint8Array.fromHex(id) }));
  });
}

/** Refuses a service-profile of another organization or on another network-server. */
async function checkServiceProfile(
  database: Database,
  { serviceProfileID }: Gateway,
  of: { organization_id: number; network_server_id: number },
): Promise<void> {
  if (serviceProfileID === '') return;
  const profile = 'service-profile';
  const { organization_id, network_server_id } = await ownersOfServiceProfile(database, serviceProfileID);
  if (organization_id !== of.organization_id)
    throw atField('gateway.serviceProfileID', refusal('FOREIGN_PROFILE', { profile }));
  if (network_server_id !== of.network_server_id)
    throw atField('gateway.serviceProfileID', refusal('PROFILE_ELSEWHERE', { profile, resource: 'gateway' }));
}

function locationOf({ location }: Gateway): Location {
  if (!location) throw atField('gateway.location', refusal('NO_LOCATION'));
  return location;
}
