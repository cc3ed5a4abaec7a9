import { atField, type Device, deviceName, invalidFields, notFound, type Operations, refusal } from '@hilltop/contract';
import { sideBySide } from '../../database/side-by-side.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { forgetDevNonces } from '../../network/backend-interfaces/dev-nonces.ts';
import { periodOf } from '../../statistics/period.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { removeFromAllGroups } from '../multicast-group/members.ts';
import { claimPlace, releasePlaces } from '../organization-quota.ts';
import { type ActivationDependencies, activate, deactivateAt, loadActivation } from './activation.ts';
import { deleteKeys, insertKeys, type KeysDependencies, loadKeys, updateKeys } from './keys.ts';
import { listDevices } from './list.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import { statesOf } from './state.ts';
import { toDeviceStats } from './stats.ts';
import {
  countDevices,
  deleteDevice,
  fromRow,
  holdDevice,
  insertDevice,
  loadApplicationOf,
  loadDevice,
  loadProfileOf,
  loadShownDevice,
  requireDevice,
  statusOf,
  updateDevice,
} from './store.ts';

export interface DeviceRoutesDependencies extends KeysDependencies, ActivationDependencies {
  routingProfileID: Uint8Array;
  statistics: Statistics;
}

/**
 * Devices: who they are and what they belong to is kept here, how they may use the radio at the network server of their
 * device-profile; both are written in one transaction.
 */
export function deviceRoutes(needs: DeviceRoutesDependencies): Handlers<Operations['device']> {
  const { database, networks, clock, statistics, routingProfileID } = needs;
  const networkOf = async (devEUI: string) => networks.of((await loadDevice(database, devEUI)).network_server_id);

  /** The application and profile a device names; they must be of one organization. */
  async function surroundingsOf(device: Device) {
    const [application, profile] = await sideBySide([
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

  return {
    list: ({ applicationID, ...filter }) =>
      listDevices(database, { applicationID: toFilterID(applicationID), ...filter, now: clock.now() }),

    get: async ({ devEUI, include }) => {
      const whole = include === 'state' ? await loadDevice(database, devEUI) : undefined;
      const row = whole ?? (await loadShownDevice(database, devEUI));
      const network = await networks.of(row.network_server_id);
      const { device } = await network.getDevice({ devEui: Uint8Array.fromHex(devEUI) });
      if (!device) throw notFound('device', devEUI);
      const state = whole && (await statesOf(database, [whole], clock.now())).get(devEUI);
      return { device: { ...fromRow(row), ...fromNetworkForm(device) }, ...statusOf(row), ...(state && { state }) };
    },

    create: ({ device: given }) =>
      database.sharedTransaction(async () => {
        const device = { ...given, name: given.name.trim() === '' ? given.devEUI : given.name };
        checkName(device.name);
        const { application, profile } = await surroundingsOf(device);
        const network = await networks.of(profile.network_server_id);
        const ofNetwork = toNetworkForm(device, application.service_profile_id, routingProfileID);
        await sideBySide([insertDevice(database, device, clock.now()), network.createDevice({ device: ofNetwork })]);
        // Last: from here to the end all others that are made in the organization wait. It comes before its application, as
        // who waits for it must not hold what another one asks for next.
        await sideBySide([
          claimPlace(database, application.organization_id, 'device'),
          countDevices(database, application.id, 1),
        ]);
        return {};
      }),

    update: ({ device }) =>
      database.transaction(async () => {
        if (device.name.trim() === '') throw atField('device.name', refusal('MISSING', { what: 'name' }));
        await holdDevice(database, device.devEUI);
        const before = await loadDevice(database, device.devEUI);
        if (device.name !== before.name) checkName(device.name);
        const { application, profile } = await surroundingsOf(device);
        if (application.service_profile_id !== before.service_profile_id)
          throw atField('device.applicationID', refusal('OTHER_SERVICE_PROFILE'));
        if (profile.network_server_id !== before.network_server_id)
          throw atField('device.deviceProfileID', refusal('OTHER_NETWORK_SERVER', { profile: 'device-profile' }));
        await updateDevice(database, device, clock.now());
        if (application.id !== before.application_id) {
          await removeFromAllGroups(needs, device.devEUI);
          // In one order: two that are exchanged would wait for each other.
          const changed = [
            { id: before.application_id, more: -1 },
            { id: application.id, more: 1 },
          ].sort((one, other) => one.id - other.id);
          for (const { id, more } of changed) await countDevices(database, id, more);
        }
        const network = await networks.of(profile.network_server_id);
        await network.updateDevice({ device: toNetworkForm(device, application.service_profile_id, routingProfileID) });
        return {};
      }),

    delete: ({ devEUI }) =>
      database.transaction(async () => {
        await holdDevice(database, devEUI);
        const row = await loadDevice(database, devEUI);
        const { organization_id } = await loadApplicationOf(database, String(row.application_id));
        const network = await networks.of(row.network_server_id);
        await deleteDevice(database, devEUI);
        await releasePlaces(database, organization_id, 'device', 1);
        await countDevices(database, row.application_id, -1);
        await statistics.remove([`device:${devEUI}`]);
        await ignoreNotFound(network.deleteDevice({ devEui: Uint8Array.fromHex(devEUI) }));
        await forgetDevNonces(database, devEUI);
        return {};
      }),

    getKeys: async ({ devEUI }) => ({ deviceKeys: await loadKeys(needs, devEUI) }),
    createKeys: ({ deviceKeys }) =>
      database.sharedTransaction(async () => {
        await requireDevice(database, deviceKeys.devEUI);
        await insertKeys(needs, deviceKeys);
        return {};
      }),
    updateKeys: async ({ deviceKeys }) => {
      await updateKeys(needs, deviceKeys);
      return {};
    },
    deleteKeys: async ({ devEUI }) => {
      await deleteKeys(needs, devEUI);
      return {};
    },

    activate: ({ deviceActivation }) =>
      database.transaction(async () => {
        await activate(needs, deviceActivation);
        return {};
      }),
    deactivate: async ({ devEUI }) => {
      await deactivateAt(await networkOf(devEUI), devEUI);
      return {};
    },
    getActivation: async ({ devEUI }) => ({ deviceActivation: await loadActivation(needs, devEUI) }),
    getRandomDevAddr: async ({ devEUI }) => {
      const { devAddr } = await (await networkOf(devEUI)).getRandomDevAddr({});
      return { devAddr: devAddr.toHex() };
    },
    clearDeviceNonces: async ({ devEUI }) => {
      const network = await networkOf(devEUI);
      await ignoreNotFound(network.clearDeviceNonces({ devEui: Uint8Array.fromHex(devEUI) }));
      await forgetDevNonces(database, devEUI);
      return {};
    },

    getStats: async ({ devEUI, ...period }) => {
      const { interval, from, to } = periodOf(period);
      await loadDevice(database, devEUI);
      return { result: (await statistics.read(`device:${devEUI}`, interval, from, to)).map(toDeviceStats) };
    },
  };
}
