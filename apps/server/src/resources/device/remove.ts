import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { releaseQuota } from '../organization-quota.ts';
import { inSlices, type Slice } from '../slices.ts';
import type { Deletion, Trash } from '../trash/trash.ts';
import { storeJoinNonces } from './join-nonces.ts';
import { countDevices } from './store.ts';
import { invalidateTotals } from './totals.ts';

/** Devices whose facts are removed together. A removal that is interrupted leaves those of the last minute. */
const mostCounted = 250;

export interface DeviceRemovalDependencies {
  database: Database;
  networks: Networks;
  statistics: Statistics;
  clock: Clock;
  trash: Trash;
}

/** Removes all devices of an application, here and at their network servers, batch by batch. */
export async function removeDevicesOfApplication(
  needs: DeviceRemovalDependencies,
  applicationID: number,
  deletion: Deletion,
): Promise<void> {
  // Not in the transactions of the slices: to find the counts of the last minute takes longer than all the rest.
  const removed: string[] = [];
  const removeCounts = () => needs.statistics.remove(removed.splice(0).map(subjectOf));
  try {
    await inSlices(needs.database, async (slice) => {
      const found = await removeSome(needs, { applicationID, deletion, slice, removed });
      if (removed.length >= mostCounted) await removeCounts();
      return found;
    });
  } finally {
    await removeCounts();
  }
}

const subjectOf = (devEUI: string) => `device:${devEUI}`;

interface DeviceSlice {
  readonly applicationID: number;
  readonly deletion: Deletion;
  readonly slice: Slice;
  /** Gets the DevEUIs of those that are removed. */
  readonly removed: string[];
}

/** Answers how many it found. */
async function removeSome(
  needs: DeviceRemovalDependencies,
  { applicationID, deletion, slice, removed }: DeviceSlice,
): Promise<number> {
  const { database, trash } = needs;
  const devices = database.query.selectFrom('device').select('dev_eui').where('application_id', '=', applicationID);
  const ids = (await devices.limit(slice.rows).execute()).map(({ dev_eui }) => dev_eui);
  if (ids.length === 0) return 0;
  const remote = await trash.readRemote('DEVICE', ids);
  const remove = async () => {
    const locked = await lockThese(database, applicationID, ids);
    await trash.add(deletion, 'DEVICE', idsOf(locked), remote);
    await removeThese(needs, { applicationID, devices: locked, organizationID: deletion.organizationID });
    return idsOf(locked);
  };
  removed.push(...(await database.transaction(() => slice.timed(remove))));
  return ids.length;
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
  const found = await query
    .selectFrom('device')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select(['dev_eui', 'application_id', 'network_server_id'])
    .where('dev_eui', 'in', ids)
    .orderBy('dev_eui')
    .$if(kind === 'postgres', (devices) => devices.forUpdate('device'))
    .execute();
  // Not in the statement: SQLite would read all devices of the application.
  return found.filter(({ application_id }) => application_id === applicationID);
}

async function removeThese(
  { database, networks, statistics, clock }: DeviceRemovalDependencies,
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
  await storeJoinNonces(database, ids, clock.now());
  await database.query.deleteFrom('device').where('dev_eui', 'in', ids).execute();
  invalidateTotals(database);
  await statistics.removeBuckets(ids.map(subjectOf));
  await releaseQuota(database, organizationID, 'device', ids.length);
  await countDevices(database, applicationID, -ids.length);
}
