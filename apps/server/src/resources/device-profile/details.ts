import type { DeviceProfileListItem } from '@hilltop/contract';
import { countBy } from '../../database/count-by.ts';
import { perDatabase } from '../../database/per-database.ts';
import { uuidBytes } from '../../identifiers.ts';
import { keptTotals } from '../device/totals.ts';
import type { ProfileHandlersDependencies } from '../profile.ts';
import { fromNetworkForm } from './network-form.ts';
import { type ListedDeviceProfile, toDetails, toListItem } from './store.ts';

/** Profiles of one page that are read from their network servers because they were created by an earlier release. */
const mostReadAtOnce = 100;

/** Adds the details of a page of device-profiles: the number of devices, and copies of what network servers store. */
export async function withDetails(
  needs: ProfileHandlersDependencies,
  rows: readonly ListedDeviceProfile[],
): Promise<DeviceProfileListItem[]> {
  const keys = rows.map(({ id }) => id);
  const { database } = needs;
  const devices = await keptTotals(database, 'deviceProfile', keys, () =>
    countBy(database, ['device', 'device_profile_id'], keys),
  );
  const unknown = rows.filter((row) => row.mac_version === null).slice(0, mostReadAtOnce);
  const read = new Map(await Promise.all(unknown.map(async (row) => [row.id, await readDetails(needs, row)] as const)));
  return rows.map((row) => {
    const { mac_version, supports_class_b, supports_class_c } = read.get(row.id) ?? row;
    return {
      ...toListItem(row),
      deviceCount: devices.get(row.id) ?? 0,
      payloadCodec: row.payload_codec,
      ...(mac_version !== null && { macVersion: mac_version }),
      ...(supports_class_b !== null && { supportsClassB: supports_class_b }),
      ...(supports_class_c !== null && { supportsClassC: supports_class_c }),
    };
  });
}

/** Until when a network server that did not answer is not asked again, by its id. */
const silentUntil = perDatabase(() => new Map<number, number>());
const silentMs = 60_000;

/** Reads the details from the network server and stores them; undefined while it cannot be reached. */
async function readDetails({ database, networks }: ProfileHandlersDependencies, row: ListedDeviceProfile) {
  const silent = silentUntil(database);
  if ((silent.get(row.network_server_id) ?? 0) > performance.now()) return undefined;
  try {
    const network = await networks.of(row.network_server_id);
    const { deviceProfile } = await network.getDeviceProfile({ id: uuidBytes(row.id) });
    const details = toDetails(deviceProfile ? fromNetworkForm(deviceProfile) : {});
    if (details.mac_version === null) return undefined;
    await database.query
      .updateTable('device_profile')
      .set(details)
      .where('id', '=', row.id)
      .where('mac_version', 'is', null)
      .execute();
    return details;
  } catch {
    silent.set(row.network_server_id, performance.now() + silentMs);
    return undefined;
  }
}
