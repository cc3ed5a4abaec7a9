import type { GatewayProfile, Operations } from '@hilltop/contract';
import type { ns } from '@hilltop/protobuf';
import type { Handlers } from '../../http/call.ts';
import { toFilterID, uuidBytes } from '../../identifiers.ts';
import { type ProfileHandlersDependencies, profileHandlers } from '../profile.ts';
import { fromRow, gatewayProfiles, listGatewayProfiles, statsIntervalMs, toChanges, toRow } from './store.ts';

type GatewayProfileRoutesDependencies = ProfileHandlersDependencies;

/** Gateway-profiles: the channels of gateways, stored at the network server. */
export function gatewayProfileRoutes(needs: GatewayProfileRoutesDependencies): Handlers<Operations['gatewayProfile']> {
  const { database } = needs;
  return {
    list: ({ networkServerID, ...page }) =>
      listGatewayProfiles(database, { networkServerID: toFilterID(networkServerID), ...page }),

    ...profileHandlers(needs, {
      member: 'gatewayProfile',
      called: 'gateway-profile',
      records: gatewayProfiles,
      dependents: [['gateway', 'gateway_profile_id', 'gateways']],
      toRow,
      toChanges,
      fromRow,
      read: async (network, id) => {
        const { gatewayProfile } = await network.getGatewayProfile({ id });
        if (!gatewayProfile) return null;
        const { channels, extraChannels } = gatewayProfile;
        return { channels, extraChannels };
      },
      create: (network, id, profile) => network.createGatewayProfile({ gatewayProfile: toNetworkForm(id, profile) }),
      update: (network, id, profile) => network.updateGatewayProfile({ gatewayProfile: toNetworkForm(id, profile) }),
      remove: (network, id) => network.deleteGatewayProfile({ id }),
    }),
  };
}

function toNetworkForm(id: string, profile: GatewayProfile): ns.GatewayProfile {
  const { channels, extraChannels } = profile;
  return { id: uuidBytes(id), channels, extraChannels, statsInterval: statsIntervalMs(profile) };
}
