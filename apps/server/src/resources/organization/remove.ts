import type { Database } from '../../database/database.ts';
import { uuidBytes } from '../../identifiers.ts';
import type { Principals } from '../../identity/principals.ts';
import type { Networks } from '../../network/network-servers.ts';
import { totalSubject } from '../../statistics/totals.ts';
import { type ApplicationRemovalDependencies, removeApplication } from '../application/remove.ts';
import { removeGatewaysOfOrganization } from '../gateway/remove.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { removeJobsOfOrganization } from '../job/retention.ts';

export type OrganizationRemovalDependencies = ApplicationRemovalDependencies;

/**
 * Removes an organization with its contents, here and at the network servers: first, batch by batch, tables that may
 * have thousands of rows, then the rest in one transaction. When a network server fails, another call can remove the
 * rest. Foreign keys remove memberships and API keys.
 */
export async function removeOrganization(needs: OrganizationRemovalDependencies, id: number): Promise<void> {
  const { database } = needs;
  await removeContents(needs, id);
  await removeJobsOfOrganization(database, id);
  await database.transaction(async () => {
    await endAccess(needs, id);
    await removeContents(needs, id);
    await removeProfiles(needs, id);
    await needs.statistics.remove([totalSubject(id)]);
    await database.query.deleteFrom('organization').where('id', '=', id).execute();
  });
}

async function removeContents(needs: OrganizationRemovalDependencies, organizationID: number): Promise<void> {
  await removeGatewaysOfOrganization(needs, organizationID);
  const { query } = needs.database;
  const applications = query.selectFrom('application').select('id').where('organization_id', '=', organizationID);
  for (const { id } of await applications.execute()) await removeApplication(needs, id);
}

async function removeProfiles(
  { database: { query }, networks }: { database: Database; networks: Networks },
  organizationID: number,
): Promise<void> {
  const ofOrganization = (table: 'service_profile' | 'device_profile') =>
    query.selectFrom(table).select(['id', 'network_server_id']).where('organization_id', '=', organizationID).execute();
  for (const { id, network_server_id } of await ofOrganization('service_profile')) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteServiceProfile({ id: uuidBytes(id) }));
  }
  for (const { id, network_server_id } of await ofOrganization('device_profile')) {
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
