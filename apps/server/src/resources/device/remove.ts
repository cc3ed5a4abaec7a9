import type { Needs } from '../../needs.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { releasePlaces } from '../organization/quota.ts';
import { forgetTotals } from './totals.ts';

/** Removes all devices of an application, here and at their network servers. To be called in a transaction. */
export async function removeDevicesOf({ database, networks }: Needs, applicationID: number): Promise<void> {
  const { query } = database;
  const devices = await query
    .selectFrom('device')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select(['dev_eui', 'network_server_id', 'organization_id'])
    .where('application_id', '=', applicationID)
    .execute();
  for (const { dev_eui, network_server_id } of devices) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteDevice({ devEui: Uint8Array.fromHex(dev_eui) }));
  }
  await query.deleteFrom('device').where('application_id', '=', applicationID).execute();
  forgetTotals(database);
  await query.updateTable('application').set({ device_count: 0 }).where('id', '=', applicationID).execute();
  const [first] = devices;
  if (first) await releasePlaces(database, first.organization_id, 'device', devices.length);
}
