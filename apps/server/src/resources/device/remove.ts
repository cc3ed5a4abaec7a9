import type { Database } from '../../database/database.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { releaseQuota } from '../organization-quota.ts';
import type { Deletion, Trash } from '../trash/trash.ts';
import { countDevices } from './store.ts';
import { invalidateTotals } from './totals.ts';

/** Rows per transaction: uplinks and other writes wait for it. */
const slice = 50;

export interface DeviceRemovalDependencies {
  database: Database;
  networks: Networks;
  statistics: Statistics;
  trash: Trash;
}

/** Removes all devices of an application, here and at their network servers, batch by batch. */
export async function removeDevicesOfApplication(
  needs: DeviceRemovalDependencies,
  applicationID: number,
  deletion: Deletion,
): Promise<void> {
  while (await removeSome(needs, applicationID, deletion));
}

/** Whether there may be more. */
async function removeSome(
  needs: DeviceRemovalDependencies,
  applicationID: number,
  deletion: Deletion,
): Promise<boolean> {
  const { database, trash } = needs;
  const devices = database.query.selectFrom('device').select('dev_eui').where('application_id', '=', applicationID);
  const ids = (await devices.limit(slice).execute()).map(({ dev_eui }) => dev_eui);
  if (ids.length === 0) return false;
  const remote = await trash.readRemote('DEVICE', ids);
  await database.transaction(async () => {
    const locked = await lockThese(database, applicationID, ids);
    await trash.add(deletion, 'DEVICE', idsOf(locked), remote);
    await removeThese(needs, { applicationID, devices: locked, organizationID: deletion.organizationID });
  });
  return ids.length === slice;
}

interface LockedDevice {
  readonly dev_eui: string;
  readonly network_server_id: number;
}
const idsOf = (devices: readonly LockedDevice[]) => devices.map(({ dev_eui }) => dev_eui);

/** Those that are still in the application: another call may be removing the same ones. SQLite has one writer anyway. */
async function lockThese(
  { query, kind }: Database,
  applicationID: number,
  ids: readonly string[],
): Promise<LockedDevice[]> {
  return query
    .selectFrom('device')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select(['dev_eui', 'network_server_id'])
    .where('dev_eui', 'in', ids)
    .where('application_id', '=', applicationID)
    .orderBy('dev_eui')
    .$if(kind === 'postgres', (devices) => devices.forUpdate('device'))
    .execute();
}

async function removeThese(
  { database, networks, statistics }: DeviceRemovalDependencies,
  {
    applicationID,
    devices,
    organizationID,
  }: { applicationID: number; devices: readonly LockedDevice[]; organizationID: number },
): Promise<void> {
  if (devices.length === 0) return;
  for (const { dev_eui, network_server_id } of devices) {
    const network = await networks.of(network_server_id);
    await ignoreNotFound(network.deleteDevice({ devEui: Uint8Array.fromHex(dev_eui) }));
  }
  const ids = idsOf(devices);
  await database.query.deleteFrom('device').where('dev_eui', 'in', ids).execute();
  invalidateTotals(database);
  await statistics.remove(ids.map((id) => `device:${id}`));
  await releaseQuota(database, organizationID, 'device', ids.length);
  await countDevices(database, applicationID, -ids.length);
}
