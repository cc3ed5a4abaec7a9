import type { Database } from '../../database/database.ts';
import { gatewaysOf } from '../../event-log/event.ts';
import { uuidBytes } from '../../identifiers.ts';
import type { Principal, Principals } from '../../identity/principals.ts';
import type { Networks } from '../../network/network-servers.ts';
import { totalSubject } from '../../statistics/totals.ts';
import { type ApplicationRemovalDependencies, removeApplication } from '../application/remove.ts';
import { removeGatewaysOfOrganization } from '../gateway/remove.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { removeJobsOfOrganization } from '../job/retention.ts';
import type { Deletion, Trash } from '../trash/trash.ts';
import { loadOrganization, lockOrganization } from './store.ts';

export type OrganizationRemovalDependencies = ApplicationRemovalDependencies;

/**
 * Removes an organization with its contents, here and at the network servers: first, batch by batch, tables that may
 * have thousands of rows, then the rest in one transaction. When a network server fails, another call can remove the
 * rest. Foreign keys remove memberships and API keys. All of it goes to the trash.
 */
export async function removeOrganization(
  needs: OrganizationRemovalDependencies,
  { id, name }: { id: number; name: string },
  by: Principal,
): Promise<void> {
  const { database, trash } = needs;
  const deletion: Deletion = { kind: 'ORGANIZATION', recordID: String(id), name, organizationID: id, by };
  await removeContents(needs, id, deletion);
  await removeJobsOfOrganization(database, id);
  const profiles = await profilesOf(database, id);
  const remote = {
    device: await trash.readRemote('DEVICE_PROFILE', idsOf(profiles.device)),
    service: await trash.readRemote('SERVICE_PROFILE', idsOf(profiles.service)),
  };
  await database.transaction(async () => {
    await endAccess(needs, id);
    await removeContents(needs, id, deletion);
    await lockOrganization(database, id);
    // Refuses when another call has removed it.
    await loadOrganization(database, String(id));
    await removeProfiles(needs, { id, deletion, remote });
    await needs.statistics.remove([totalSubject(id)]);
    await database.query.deleteFrom('condition').where('organization_id', '=', id).execute();
    await removeIntegrations(needs, id, deletion);
    await trash.add(deletion, 'ORGANIZATION', [String(id)]);
    await database.query.deleteFrom('organization').where('id', '=', id).execute();
    await trash.complete(deletion);
  });
}

async function removeContents(
  needs: OrganizationRemovalDependencies,
  organizationID: number,
  deletion: Deletion,
): Promise<void> {
  await removeGatewaysOfOrganization(needs, organizationID, deletion);
  const { query } = needs.database;
  const applications = query.selectFrom('application').select('id').where('organization_id', '=', organizationID);
  for (const { id } of await applications.execute()) await removeApplication(needs, id, deletion);
}

/** The integrations of the organization itself: foreign keys remove their rows. */
async function removeIntegrations(
  { database, trash, bus }: OrganizationRemovalDependencies,
  organizationID: number,
  deletion: Deletion,
): Promise<void> {
  const { query } = database;
  const own = query.selectFrom('integration').select('id').where('organization_id', '=', organizationID);
  const ids = (await own.execute()).map(({ id }) => String(id));
  if (ids.length === 0) return;
  await trash.add(deletion, 'INTEGRATION', ids);
  const applicationID = gatewaysOf(organizationID);
  database.afterCommit(() => bus.publish('integration-changed', '', { applicationID }));
}

interface ProfileRow {
  readonly id: string;
  readonly network_server_id: number;
}
const idsOf = (profiles: readonly ProfileRow[]) => profiles.map(({ id }) => id);

async function profilesOf(
  { query }: Database,
  organizationID: number,
): Promise<{ device: ProfileRow[]; service: ProfileRow[] }> {
  const ofOrganization = (table: 'service_profile' | 'device_profile') =>
    query.selectFrom(table).select(['id', 'network_server_id']).where('organization_id', '=', organizationID).execute();
  return { device: await ofOrganization('device_profile'), service: await ofOrganization('service_profile') };
}

async function removeProfiles(
  { database, networks, trash }: { database: Database; networks: Networks; trash: Trash },
  {
    id: organizationID,
    deletion,
    remote,
  }: { id: number; deletion: Deletion; remote: Record<'device' | 'service', Awaited<ReturnType<Trash['readRemote']>>> },
): Promise<void> {
  const { query } = database;
  const { device, service } = await profilesOf(database, organizationID);
  await trash.add(deletion, 'DEVICE_PROFILE', idsOf(device), remote.device);
  await trash.add(deletion, 'SERVICE_PROFILE', idsOf(service), remote.service);
  for (const { id, network_server_id } of service) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteServiceProfile({ id: uuidBytes(id) }));
  }
  for (const { id, network_server_id } of device) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteDeviceProfile({ id: uuidBytes(id) }));
  }
  await query.deleteFrom('service_profile').where('organization_id', '=', organizationID).execute();
  await query.deleteFrom('device_profile').where('organization_id', '=', organizationID).execute();
}

async function endAccess(
  { database: { query }, principals }: { database: Database; principals: Principals },
  organizationID: number,
): Promise<void> {
  const members = await query
    .selectFrom('organization_user')
    .select('user_id')
    .where('organization_id', '=', organizationID)
    .execute();
  const keys = await query.selectFrom('api_key').select('id').where('organization_id', '=', organizationID).execute();
  for (const id of [...members.map((row) => String(row.user_id)), ...keys.map((row) => row.id)]) principals.changed(id);
}
