import type { Needs } from '../../needs.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { releasePlaces } from '../organization/quota.ts';

/** Removes all gateways of an organization, here and at their network servers. To be called in a transaction. */
export async function removeGatewaysOf({ database, networks }: Needs, organizationID: number): Promise<void> {
  const { query } = database;
  const gateways = await query
    .selectFrom('gateway')
    .select(['id', 'network_server_id'])
    .where('organization_id', '=', organizationID)
    .execute();
  for (const { id, network_server_id } of gateways) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteGateway({ id: Uint8Array.fromHex(id) }));
  }
  await query.deleteFrom('gateway').where('organization_id', '=', organizationID).execute();
  await releasePlaces(database, organizationID, 'gateway', gateways.length);
}
