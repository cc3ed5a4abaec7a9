import { notFound, type Operations } from '@hilltop/contract';
import { type Dependents, refuseWhileUsed } from '../../database/in-use.ts';
import { toFilterID, uuidBytes } from '../../http/identifiers.ts';
import type { Handlers } from '../../http/operations.ts';
import { visibleOrganizations } from '../../http/visibility.ts';
import type { Needs } from '../../needs.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import {
  deleteServiceProfile,
  fromRow,
  insertServiceProfile,
  listServiceProfiles,
  loadServiceProfile,
  renameServiceProfile,
  toRow,
} from './store.ts';

const dependents: Dependents = [
  ['application', 'service_profile_id', 'applications'],
  ['gateway', 'service_profile_id', 'gateways'],
];

/**
 * Service-profiles: which organization may use which network server, and with which features. Name and owner are kept
 * here, the features at the network server; both are written in one transaction.
 */
export function serviceProfileRoutes({ database, networks, clock }: Needs): Handlers<Operations['serviceProfile']> {
  return {
    list: ({ organizationID, networkServerID, ...page }, { principal }) => {
      const chosen = toFilterID(organizationID);
      return listServiceProfiles(database, {
        organizationIDs: chosen === undefined ? visibleOrganizations(principal) : [chosen],
        networkServerID: toFilterID(networkServerID),
        ...page,
      });
    },

    get: async ({ id }) => {
      const row = await loadServiceProfile(database, id);
      const network = await networks.of(row.network_server_id);
      const { serviceProfile } = await network.getServiceProfile({ id: uuidBytes(id) });
      if (!serviceProfile) throw notFound('service-profile', id);
      return {
        serviceProfile: { ...fromRow(row), ...fromNetworkForm(serviceProfile) },
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
      };
    },

    create: ({ serviceProfile }) => {
      const row = toRow(crypto.randomUUID(), serviceProfile, clock.now());
      return database.transaction(async () => {
        await insertServiceProfile(database, row);
        const network = await networks.of(row.network_server_id);
        await network.createServiceProfile({ serviceProfile: toNetworkForm(row.id, serviceProfile) });
        return { id: row.id };
      });
    },

    update: ({ serviceProfile }) =>
      database.transaction(async () => {
        const row = await loadServiceProfile(database, serviceProfile.id);
        await renameServiceProfile(database, row.id, serviceProfile.name, clock.now());
        const network = await networks.of(row.network_server_id);
        await network.updateServiceProfile({ serviceProfile: toNetworkForm(row.id, serviceProfile) });
        return {};
      }),

    delete: ({ id }) =>
      database.transaction(async () => {
        const row = await loadServiceProfile(database, id);
        await refuseWhileUsed(database, 'service-profile', id, dependents);
        await deleteServiceProfile(database, id);
        const network = await networks.of(row.network_server_id);
        await ignoreNotFound(network.deleteServiceProfile({ id: uuidBytes(id) }));
        return {};
      }),
  };
}
