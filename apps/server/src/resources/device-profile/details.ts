import type { DeviceProfileListItem } from '@hilltop/contract';
import type { Log } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import { countBy } from '../../database/count-by.ts';
import { perDatabase } from '../../database/per-database.ts';
import { uuidBytes } from '../../identifiers.ts';
import { cachedTotals } from '../device/totals.ts';
import type { ProfileHandlersDependencies } from '../profile.ts';
import { fromNetworkForm } from './network-form.ts';
import { type ListedDeviceProfile, toDetails, toListItem } from './store.ts';

/** Profiles of one page that are read from their network servers because they were created by an earlier release. */
const mostReadAtOnce = 100;

export interface DeviceProfileDetailsDependencies extends ProfileHandlersDependencies {
  log: Log;
}

/** Adds the details of a page of device-profiles: the number of devices, and copies of what network servers store. */
export async function withDetails(
  needs: DeviceProfileDetailsDependencies,
  rows: readonly ListedDeviceProfile[],
): Promise<DeviceProfileListItem[]> {
  const keys = rows.map(({ id }) => id);
  const { database } = needs;
  const devices = await cachedTotals(database, 'deviceProfile', keys, () =>
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
      ...(row.vendor_id !== null && { vendorID: row.vendor_id }),
      ...(row.profile_id !== null && { profileID: row.profile_id }),
      ...(mac_version !== null && { macVersion: mac_version }),
      ...(supports_class_b !== null && { supportsClassB: supports_class_b }),
      ...(supports_class_c !== null && { supportsClassC: supports_class_c }),
    };
  });
}

/** Until when a network server that did not respond is not asked again, by its id. */
const silentUntil = perDatabase(() => new Map<number, number>());
const silentMs = 60_000;

/** Reads the details from the network server and stores them; undefined while it does not return them. */
async function readDetails(needs: DeviceProfileDetailsDependencies, row: ListedDeviceProfile) {
  const profile = await readFromNetwork(needs, row);
  const details = toDetails(profile ?? {});
  if (details.mac_version === null) return undefined;
  await needs.database.query
    .updateTable('device_profile')
    .set(details)
    .where('id', '=', row.id)
    .where('mac_version', 'is', null)
    .execute();
  return details;
}

/** A list is shown without the details while a network server does not respond; other errors fail the call. */
async function readFromNetwork(
  { database, networks, clock, log }: DeviceProfileDetailsDependencies,
  { id, network_server_id: networkServerID }: ListedDeviceProfile,
) {
  const silent = silentUntil(database);
  const isSilent = () => (silent.get(networkServerID) ?? 0) > clock.monotonicMs();
  if (isSilent()) return undefined;
  try {
    const network = await networks.of(networkServerID);
    const { deviceProfile } = await network.getDeviceProfile({ id: uuidBytes(id) });
    return deviceProfile && fromNetworkForm(deviceProfile);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (!isSilent())
      log.warn(
        { err: error, networkServerID, deviceProfileID: id },
        'The details of device-profiles could not be read.',
      );
    silent.set(networkServerID, clock.monotonicMs() + silentMs);
    return undefined;
  }
}
