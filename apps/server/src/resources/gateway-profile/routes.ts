import { type GatewayProfile, notFound, type Operations } from '@hilltop/contract';
import type { ns } from '@hilltop/protobuf';
import { refuseWhileUsed } from '../../database/in-use.ts';
import { toFilterID, uuidBytes } from '../../http/identifiers.ts';
import type { Handlers } from '../../http/operations.ts';
import type { Needs } from '../../needs.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import {
  deleteGatewayProfile,
  fromRow,
  insertGatewayProfile,
  listGatewayProfiles,
  loadGatewayProfile,
  statsIntervalMs,
  toChanges,
  toRow,
  updateGatewayProfile,
} from './store.ts';

/** Gateway-profiles: the channels gateways are to use, kept at the network server. */
export function gatewayProfileRoutes({ database, networks, clock }: Needs): Handlers<Operations['gatewayProfile']> {
  return {
    list: ({ networkServerID, ...page }) =>
      listGatewayProfiles(database, { networkServerID: toFilterID(networkServerID), ...page }),

    get: async ({ id }) => {
      const row = await loadGatewayProfile(database, id);
      const network = await networks.of(row.network_server_id);
      const { gatewayProfile } = await network.getGatewayProfile({ id: uuidBytes(id) });
      if (!gatewayProfile) throw notFound('gateway-profile', id);
      const { channels, extraChannels } = gatewayProfile;
      return {
        gatewayProfile: { ...fromRow(row), channels, extraChannels },
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
      };
    },

    create: ({ gatewayProfile }) => {
      const row = toRow(crypto.randomUUID(), gatewayProfile, clock.now());
      return database.transaction(async () => {
        await insertGatewayProfile(database, row);
        const network = await networks.of(row.network_server_id);
        await network.createGatewayProfile({ gatewayProfile: toNetworkForm(row.id, gatewayProfile) });
        return { id: row.id };
      });
    },

    update: ({ gatewayProfile }) =>
      database.transaction(async () => {
        const row = await loadGatewayProfile(database, gatewayProfile.id);
        await updateGatewayProfile(database, row.id, toChanges(gatewayProfile, clock.now()));
        const network = await networks.of(row.network_server_id);
        await network.updateGatewayProfile({ gatewayProfile: toNetworkForm(row.id, gatewayProfile) });
        return {};
      }),

    delete: ({ id }) =>
      database.transaction(async () => {
        const row = await loadGatewayProfile(database, id);
        await refuseWhileUsed(database, 'gateway-profile', id, [['gateway', 'gateway_profile_id', 'gateways']]);
        await deleteGatewayProfile(database, id);
        const network = await networks.of(row.network_server_id);
        await ignoreNotFound(network.deleteGatewayProfile({ id: uuidBytes(id) }));
        return {};
      }),
  };
}

function toNetworkForm(id: string, profile: GatewayProfile): ns.GatewayProfile {
  const { channels, extraChannels } = profile;
  return { id: uuidBytes(id), channels, extraChannels, statsInterval: statsIntervalMs(profile) };
}
