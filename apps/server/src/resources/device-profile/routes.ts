import { notFound, type Operations } from '@hilltop/contract';
import { refuseWhileUsed } from '../../database/in-use.ts';
import { toFilterID, uuidBytes } from '../../http/identifiers.ts';
import type { Handlers } from '../../http/operations.ts';
import { visibleOrganizations } from '../../http/visibility.ts';
import type { Needs } from '../../needs.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import { refuseImpossibleRX2 } from './receive-window.ts';
import {
  deleteDeviceProfile,
  fromRow,
  insertDeviceProfile,
  listDeviceProfiles,
  loadDeviceProfile,
  toChanges,
  toRow,
  updateDeviceProfile,
} from './store.ts';

/** Device-profiles: what a kind of device can do, kept at the network server, and how its payloads read, kept here. */
export function deviceProfileRoutes({ database, networks, clock }: Needs): Handlers<Operations['deviceProfile']> {
  return {
    list: ({ organizationID, applicationID, ...page }, { principal }) => {
      const application = toFilterID(applicationID);
      const organization = toFilterID(organizationID);
      const organizationIDs = organization === undefined ? visibleOrganizations(principal) : [organization];
      return listDeviceProfiles(database, {
        organizationIDs: application === undefined ? organizationIDs : undefined,
        applicationID: application,
        ...page,
      });
    },

    get: async ({ id }) => {
      const row = await loadDeviceProfile(database, id);
      const network = await networks.of(row.network_server_id);
      const { deviceProfile } = await network.getDeviceProfile({ id: uuidBytes(id) });
      if (!deviceProfile) throw notFound('device-profile', id);
      return {
        deviceProfile: { ...fromRow(row), ...fromNetworkForm(deviceProfile) },
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
      };
    },

    create: ({ deviceProfile }) => {
      const row = toRow(crypto.randomUUID(), deviceProfile, clock.now());
      return database.transaction(async () => {
        await insertDeviceProfile(database, row);
        await refuseImpossibleRX2(database, row.network_server_id, deviceProfile);
        const network = await networks.of(row.network_server_id);
        await network.createDeviceProfile({ deviceProfile: toNetworkForm(row.id, deviceProfile) });
        return { id: row.id };
      });
    },

    update: ({ deviceProfile }) =>
      database.transaction(async () => {
        const row = await loadDeviceProfile(database, deviceProfile.id);
        await refuseImpossibleRX2(database, row.network_server_id, deviceProfile);
        await updateDeviceProfile(database, row.id, toChanges(deviceProfile, clock.now()));
        const network = await networks.of(row.network_server_id);
        await network.updateDeviceProfile({ deviceProfile: toNetworkForm(row.id, deviceProfile) });
        return {};
      }),

    delete: ({ id }) =>
      database.transaction(async () => {
        const row = await loadDeviceProfile(database, id);
        await refuseWhileUsed(database, 'device-profile', id, [['device', 'device_profile_id', 'devices']]);
        await deleteDeviceProfile(database, id);
        const network = await networks.of(row.network_server_id);
        await ignoreNotFound(network.deleteDeviceProfile({ id: uuidBytes(id) }));
        return {};
      }),
  };
}
