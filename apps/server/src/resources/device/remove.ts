import type { Database } from '../../database/database.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { releaseQuota } from '../organization-quota.ts';
import { countDevices } from './store.ts';
import { invalidateTotals } from './totals.ts';

/** Rows per transaction: uplinks and other writes wait for it. */
const slice = 100;

export interface DeviceRemovalDependencies {
  database: Database;
  networks: Networks;
  statistics: Statistics;
}

/** Removes all devices of an application, here and at their network servers, batch by batch. */
export async function removeDevicesOfApplication(
  needs: DeviceRemovalDependencies,
  applicationID: number,
): Promise<void> {
  const { database } = needs;
  while (await database.transaction(() => removeSome(needs, applicationID)));
}

/** Whether there may be more. */
async function removeSome(
  { database, networks, statistics }: DeviceRemovalDependencies,
  applicationID: number,
): Promise<boolean> {
  const { query } = database;
  const devices = await query
    .selectFrom('device')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select(['dev_eui', 'network_server_id', 'organization_id'])
    .where('application_id', '=', applicationID)
    .limit(slice)
    .execute();
  const [first] = devices;
  if (!first) return false;
  for (const { dev_eui, network_server_id } of devices) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteDevice({ devEui: Uint8Array.fromHex(dev_eui) }));
  }
  const ids = devices.map(({ dev_eui }) => dev_eui);
  // Another call may be removing the same ones.
  const { numDeletedRows } = await query.deleteFrom('device').where('dev_eui', 'in', ids).executeTakeFirstOrThrow();
  invalidateTotals(database);
  await statistics.remove(ids.map((id) => `device:${id}`));
  await releaseQuota(database, first.organization_id, 'device', Number(numDeletedRows));
  await countDevices(database, applicationID, -Number(numDeletedRows));
  return devices.length === slice;
}
