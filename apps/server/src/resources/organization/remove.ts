import { uuidBytes } from '../../http/identifiers.ts';
import type { Needs } from '../../needs.ts';
import { removeApplication } from '../application/remove.ts';
import { removeGatewaysOf } from '../gateway/remove.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';

/**
 * Removes an organization with all that is in it, here and at the network servers. To be called in a transaction: it
 * all goes or nothing does. Memberships and API keys go by themselves.
 */
export async function removeOrganization(needs: Needs, id: number): Promise<void> {
  const { query } = needs.database;
  await endAccess(needs, id);
  await removeGatewaysOf(needs, id);
  const applications = await query.selectFrom('application').select('id').where('organization_id', '=', id).execute();
  for (const application of applications) await removeApplication(needs, application.id);
  await removeProfiles(needs, id);
  await query.deleteFrom('organization').where('id', '=', id).execute();
}

async function removeProfiles({ database: { query }, networks }: Needs, organizationID: number): Promise<void> {
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

async function endAccess({ database: { query }, principals }: Needs, organizationID: number): Promise<void> {
  const members = await query
    .selectFrom('organization_user')
    .select('user_id')
    .where('organization_id', '=', organizationID)
    .execute();
  const keys = await query.selectFrom('api_key').select('id').where('organization_id', '=', organizationID).execute();
  for (const id of [...members.map((row) => String(row.user_id)), ...keys.map((row) => row.id)]) principals.changed(id);
}
