import type { Operations } from '@hilltop/contract';
import type { Dependents } from '../../database/in-use.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import { type ProfileHandlersDependencies, profileHandlers } from '../profile.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import { fromRow, listServiceProfiles, serviceProfiles, toChanges, toRow } from './store.ts';

const dependents: Dependents = [
  ['application', 'service_profile_id', 'applications'],
  ['gateway', 'service_profile_id', 'gateways'],
];

type ServiceProfileRoutesDependencies = ProfileHandlersDependencies;

/**
 * Service-profiles: which organization may use which network server, and with which features. Name and owner are stored
 * here, the features at the network server; both are written in one transaction.
 */
export function serviceProfileRoutes(needs: ServiceProfileRoutesDependencies): Handlers<Operations['serviceProfile']> {
  const { database } = needs;
  return {
    list: ({ organizationID, networkServerID, ...page }, { principal }) => {
      const chosen = toFilterID(organizationID);
      return listServiceProfiles(database, {
        organizationIDs: chosen === undefined ? visibleOrganizations(principal) : [chosen],
        networkServerID: toFilterID(networkServerID),
        ...page,
      });
    },

    ...profileHandlers(needs, {
      member: 'serviceProfile',
      called: 'service-profile',
      trashKind: 'SERVICE_PROFILE',
      records: serviceProfiles,
      limitedTable: 'service_profile',
      dependents,
      toRow,
      toChanges,
      fromRow,
      read: async (network, id) => {
        const { serviceProfile } = await network.getServiceProfile({ id });
        return serviceProfile && fromNetworkForm(serviceProfile);
      },
      create: (network, id, profile) => network.createServiceProfile({ serviceProfile: toNetworkForm(id, profile) }),
      update: (network, id, profile) => network.updateServiceProfile({ serviceProfile: toNetworkForm(id, profile) }),
      remove: (network, id) => network.deleteServiceProfile({ id }),
    }),
  };
}
