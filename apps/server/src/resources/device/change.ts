import { isDeepStrictEqual } from 'node:util';
import { atField, type Device, deviceName, invalidFields, isSameJSON, notFound, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { auditDevice } from '../../audit/transactions.ts';
import { awaitAll } from '../../database/await-all.ts';
import type { Database } from '../../database/database.ts';
import type { Principal } from '../../identity/principals.ts';
import { forgetDevNonces } from '../../network/backend-interfaces/dev-nonces.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { removeFromAllGroups } from '../multicast-group/members.ts';
import { claimQuota, releaseQuota } from '../organization-quota.ts';
import { serviceProfiles } from '../service-profile/store.ts';
import type { Trash } from '../trash/trash.ts';
import { storeJoinNonces } from './join-nonces.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import {
  beginLogAnew,
  countDevices,
  type DeviceWithOwners,
  deleteDevice,
  fromRow,
  insertDevice,
  loadApplicationOf,
  loadDevice,
  loadProfileOf,
  loadShownDevice,
  lockDevice,
  lockNames,
  updateDevice,
  updateNames,
} from './store.ts';

export interface DeviceChangeDependencies {
  database: Database;
  networks: Networks;
  clock: Clock;
  statistics: Statistics;
  routingProfileID: Uint8Array;
  trash: Trash;
}

/** Creates a device in the database and at its network server, in one transaction. Without a name it gets its EUI. */
export async function createDevice(
  { database, networks, clock, routingProfileID }: DeviceChangeDependencies,
  given: Device,
): Promise<void> {
  await database.sharedTransaction(async () => {
    const device = { ...given, name: given.name.trim() === '' ? given.devEUI : given.name };
    checkName(device.name);
    const { application, profile } = await loadOwners(database, device);
    auditDevice({ devEUI: device.devEUI, organizationID: application.organization_id, name: device.name });
    const network = await networks.of(profile.network_server_id);
    const atNetwork = toNetworkForm(device, application.service_profile_id, routingProfileID);
    await awaitAll([insertDevice(database, device, clock.now()), network.createDevice({ device: atNetwork })]);
    // Last, because these rows are locked to the end of the transaction, and other creations in the organization wait for
    // them. The organization comes before the application: a transaction that waits for it must not hold the application,
    // which the next one needs.
    await awaitAll([
      claimQuota(database, application.organization_id, 'device'),
      countDevices(database, application.id, 1),
    ]);
  });
}

interface ChangeOptions {
  mayLeave?: boolean;
  /** The device as it is now, if it is known: a network server that knows all of the change is not called. */
  stored?: Device;
}

/**
 * Updates a device, which may move to another application with the same service-profile; with `mayLeave` also to one of
 * another organization.
 */
export async function changeDevice(
  needs: DeviceChangeDependencies,
  device: Device,
  options?: ChangeOptions,
): Promise<void> {
  await needs.database.transaction(async () => {
    await lockDevice(needs.database, device.devEUI);
    await changeLocked(needs, device, options);
  });
}

/** The same for a device that the transaction has locked. */
async function changeLocked(
  { database, networks, clock, routingProfileID }: DeviceChangeDependencies,
  device: Device,
  { mayLeave = false, stored }: ChangeOptions = {},
): Promise<void> {
  if (device.name.trim() === '') throw atField('device.name', refusal('MISSING', { what: 'name' }));
  const before = await loadDevice(database, device.devEUI);
  if (device.name !== before.name) checkName(device.name);
  const { application, profile } = await loadOwners(database, device);
  const left = mayLeave ? await organizationLeft(database, before, application) : undefined;
  if (left === undefined && application.service_profile_id !== before.service_profile_id)
    throw atField('device.applicationID', refusal('OTHER_SERVICE_PROFILE'));
  if (profile.network_server_id !== before.network_server_id)
    throw atField('device.deviceProfileID', refusal('OTHER_NETWORK_SERVER', { profile: 'device-profile' }));
  await updateDevice(database, device, clock.now());
  if (left !== undefined)
    await changeOrganization(database, device.devEUI, { from: left, to: application.organization_id });
  if (application.id !== before.application_id) {
    await removeFromAllGroups({ database, networks }, device.devEUI);
    // Always in the order of ids: two devices that change places would otherwise wait for each other.
    const changes = [
      { id: before.application_id, more: -1 },
      { id: application.id, more: 1 },
    ].sort((one, other) => one.id - other.id);
    for (const { id, more } of changes) await countDevices(database, id, more);
  }
  const atNetwork = toNetworkForm(device, application.service_profile_id, routingProfileID);
  const known = stored && toNetworkForm(stored, before.service_profile_id, routingProfileID);
  if (left === undefined && isDeepStrictEqual(known, atNetwork)) return;
  const network = await networks.of(profile.network_server_id);
  if (left !== undefined) await network.flushDeviceQueueForDevEUI({ devEui: Uint8Array.fromHex(device.devEUI) });
  await network.updateDevice({ device: atNetwork });
}

/** The organization that a device would leave for this application, if any. */
async function organizationLeft(
  database: Database,
  device: Pick<DeviceWithOwners, 'application_id' | 'network_server_id'>,
  application: Awaited<ReturnType<typeof loadApplicationOf>>,
): Promise<number | undefined> {
  const { organization_id } = await loadApplicationOf(database, String(device.application_id));
  if (organization_id === application.organization_id) return undefined;
  const profile = await serviceProfiles.load(database, application.service_profile_id);
  if (profile.network_server_id !== device.network_server_id)
    throw atField('device.applicationID', refusal('OTHER_NETWORK_SERVER', { profile: 'service-profile' }));
  return organization_id;
}

/** The quotas follow the device. Its events and downlinks do not: the new organization must not read them. */
async function changeOrganization(
  database: Database,
  devEUI: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  // Always in the order of ids: two devices that change places would otherwise wait for each other.
  const changes = [
    { id: from, change: () => releaseQuota(database, from, 'device', 1) },
    { id: to, change: () => claimQuota(database, to, 'device') },
  ].sort((one, other) => one.id - other.id);
  for (const { change } of changes) await change();
  await beginLogAnew(database, devEUI);
  await database.query.deleteFrom('downlink').where('dev_eui', '=', devEUI).execute();
}

/** A device with all fields, as `get` returns it. */
export async function readDevice(
  { database, networks }: Pick<DeviceChangeDependencies, 'database' | 'networks'>,
  devEUI: string,
): Promise<Device> {
  const row = await loadShownDevice(database, devEUI);
  const network = await networks.of(row.network_server_id);
  const { device } = await network.getDevice({ devEui: Uint8Array.fromHex(devEUI) });
  if (!device) throw notFound('device', devEUI);
  return { ...fromRow(row), ...fromNetworkForm(device) };
}

/**
 * Changes fields of a device as it is now; other fields keep their values. Call it in a transaction. Answers the device as
 * it was.
 */
export async function editDevice(
  needs: DeviceChangeDependencies,
  devEUI: string,
  edit: (device: Device) => Device,
  options?: ChangeOptions,
): Promise<Device> {
  await lockDevice(needs.database, devEUI);
  const device = await readDevice(needs, devEUI);
  const edited = edit(device);
  if (edited !== device) await changeLocked(needs, edited, { ...options, stored: device });
  return device;
}

/**
 * Changes the tags or variables of a device as it is now. Its network server does not know them. Call it in a transaction.
 */
export async function editNames(
  { database, clock }: Pick<DeviceChangeDependencies, 'database' | 'clock'>,
  { devEUI, member }: { devEUI: string; member: 'tags' | 'variables' },
  edit: (names: Device['tags']) => Device['tags'],
): Promise<void> {
  const names = (await lockNames(database, devEUI))[member];
  const edited = edit(names);
  if (!isSameJSON(edited, names)) await updateNames(database, { devEUI, member, names: edited }, clock.now());
}

/** The device may join with any DevNonce, as after a reset. */
export async function clearDevNonces(
  { database, networks }: Pick<DeviceChangeDependencies, 'database' | 'networks'>,
  devEUI: string,
): Promise<void> {
  const network = await networks.of((await loadDevice(database, devEUI)).network_server_id);
  await ignoreNotFound(network.clearDeviceNonces({ devEui: Uint8Array.fromHex(devEUI) }));
  await forgetDevNonces(database, devEUI);
}

/** Removes a device with its statistics and DevNonces, in the database and at its network server. It goes to the trash. */
export async function removeDevice(
  { database, networks, statistics, trash, clock }: DeviceChangeDependencies,
  devEUI: string,
  by: Principal,
): Promise<void> {
  await database.transaction(async () => {
    await lockDevice(database, devEUI);
    const row = await loadDevice(database, devEUI);
    const { organization_id } = await loadApplicationOf(database, String(row.application_id));
    const network = await networks.of(row.network_server_id);
    const { name, application_id: applicationID } = row;
    const owners = { organizationID: organization_id, applicationID };
    await trash.addWhole({ kind: 'DEVICE', recordID: devEUI, name, ...owners, by });
    await storeJoinNonces(database, [devEUI], clock.now());
    await deleteDevice(database, devEUI);
    await releaseQuota(database, organization_id, 'device', 1);
    await countDevices(database, row.application_id, -1);
    await statistics.remove([`device:${devEUI}`]);
    await ignoreNotFound(network.deleteDevice({ devEui: Uint8Array.fromHex(devEUI) }));
    await forgetDevNonces(database, devEUI);
  });
}

/** The application and profile that a device names. Both must be of one organization. */
async function loadOwners(database: Database, device: Device) {
  const [application, profile] = await awaitAll([
    loadApplicationOf(database, device.applicationID),
    loadProfileOf(database, device.deviceProfileID),
  ]);
  if (profile.organization_id !== application.organization_id)
    throw atField('device.deviceProfileID', refusal('FOREIGN_PROFILE', { profile: 'device-profile' }));
  return { application, profile };
}

const namePattern = new RegExp(deviceName.pattern, 'u');

function checkName(name: string): void {
  if (!namePattern.test(name)) throw invalidFields([{ field: 'device.name', description: deviceName.message }]);
}
