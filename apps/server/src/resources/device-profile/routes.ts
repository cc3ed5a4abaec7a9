import { type Operations, operations } from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { mayCall } from '../../identity/access.ts';
import type { Principal } from '../../identity/principals.ts';
import { applicationLimit, visibleOrganizations } from '../../identity/visibility.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { refuseInvalidScripts } from '../codec/check-scripts.ts';
import { profileHandlers } from '../profile.ts';
import { type DeviceProfileDetailsDependencies, withDetails } from './details.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import { refuseImpossibleRX2 } from './receive-window.ts';
import { deviceProfiles, fromRow, listDeviceProfiles, toChanges, toListItem, toRow } from './store.ts';

export interface DeviceProfileRoutesDependencies extends DeviceProfileDetailsDependencies {
  codecs: PayloadCodecs;
  /** Called with the id of a device-profile, in the transaction that creates or updates it. */
  written?: (id: string) => Promise<void>;
}

/**
 * Device-profiles: what a kind of device can do is stored at the network server, and how its payloads are decoded is
 * stored here.
 */
export function deviceProfileRoutes(needs: DeviceProfileRoutesDependencies): Handlers<Operations['deviceProfile']> {
  const { database, codecs } = needs;
  const handlers = profileHandlers(needs, {
    member: 'deviceProfile',
    called: 'device-profile',
    trashKind: 'DEVICE_PROFILE',
    records: deviceProfiles,
    limitedTable: 'device_profile',
    dependents: [['device', 'device_profile_id', 'devices']],
    toRow,
    toChanges,
    fromRow,
    check: (networkServerID, profile) => refuseImpossibleRX2(database, networkServerID, profile),
    read: async (network, id) => {
      const { deviceProfile } = await network.getDeviceProfile({ id });
      return deviceProfile && fromNetworkForm(deviceProfile);
    },
    create: (network, id, profile) => network.createDeviceProfile({ deviceProfile: toNetworkForm(id, profile) }),
    update: (network, id, profile) => network.updateDeviceProfile({ deviceProfile: toNetworkForm(id, profile) }),
    remove: (network, id) => network.deleteDeviceProfile({ id }),
    written: needs.written,
  });
  /** Somebody limited to an application sees only profiles of its devices, unless he creates devices there. */
  const maySeeUnused = async (application: number, principal: Principal): Promise<boolean> =>
    !applicationLimit(principal)?.applicationIDs.includes(application) ||
    (await mayCall(needs, operations.device.create, { device: { applicationID: String(application) } }, principal));

  return {
    list: async ({ organizationID, applicationID, include, ...page }, { principal }) => {
      const application = toFilterID(applicationID);
      const organization = toFilterID(organizationID);
      const organizationIDs = organization === undefined ? visibleOrganizations(principal) : [organization];
      const { totalCount, result } = await listDeviceProfiles(database, {
        organizationIDs: application === undefined ? organizationIDs : undefined,
        applicationID: application,
        isUsed: application !== undefined && !(await maySeeUnused(application, principal)),
        ...page,
      });
      return { totalCount, result: include === 'details' ? await withDetails(needs, result) : result.map(toListItem) };
    },

    ...handlers,

    create: async (request, context) => {
      await refuseInvalidScripts(codecs, 'deviceProfile', request.deviceProfile, context);
      return handlers.create(request, context);
    },

    update: async (request, context) => {
      const saved = fromRow(await deviceProfiles.load(database, request.deviceProfile.id));
      await refuseInvalidScripts(codecs, 'deviceProfile', request.deviceProfile, { ...context, saved });
      return handlers.update(request, context);
    },
  };
}
