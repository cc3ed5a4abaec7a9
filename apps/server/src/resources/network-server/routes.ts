import { atField, type NetworkServer, type Operations, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { type Dependents, refuseWhileUsed } from '../../database/in-use.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { CallbackSettings } from '../../network/settings.ts';
import { removeNetworkState } from '../../network/state.ts';
import type { Secrets } from '../../secrets.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { isEmbedded } from './embedded.ts';
import { sealKeys } from './keys.ts';
import { routingProfileOf } from './routing-profile.ts';
import {
  deleteNetworkServer,
  fromRow,
  insertNetworkServer,
  listNetworkServers,
  loadNetworkServer,
  type NetworkServerRow,
  toRow,
  updateNetworkServer,
} from './store.ts';

const dependents: Dependents = [
  ['service_profile', 'network_server_id', 'service-profiles'],
  ['device_profile', 'network_server_id', 'device-profiles'],
  ['gateway_profile', 'network_server_id', 'gateway-profiles'],
  ['gateway', 'network_server_id', 'gateways'],
];

const noKeys = { tls_key: new Uint8Array(), routing_profile_tls_key: new Uint8Array() };

interface NetworkServerRoutesDependencies {
  config: Pick<CallbackSettings, 'grpcPublic'>;
  database: Database;
  networks: Networks;
  routingProfileID: Uint8Array;
  clock: Clock;
  secrets: Secrets;
}

/** The registered network servers. `radio` adds embedded ones. */
export function networkServerRoutes(needs: NetworkServerRoutesDependencies): Handlers<Operations['networkServer']> {
  const { database, networks, secrets, clock, config, routingProfileID } = needs;

  /** Sends the routing-profile with our address to the network server. */
  async function sendRoutingProfile(row: NetworkServerRow, call: 'createRoutingProfile' | 'updateRoutingProfile') {
    const network = await networks.of(row.id);
    const asId = isEmbedded(row) ? 'embedded' : config.grpcPublic;
    const routingProfile = routingProfileOf(secrets, row, { id: routingProfileID, asId });
    await network[call]({ routingProfile });
  }

  /** Region and version as the network server reports them; empty while it does not answer. */
  async function aboutOf(id: number): Promise<{ region: string; version: string }> {
    try {
      const network = await networks.of(id);
      const { region, version } = await network.getVersion({});
      return { region, version };
    } catch {
      return { region: '', version: '' };
    }
  }

  return {
    list: ({ organizationID, ...page }) =>
      listNetworkServers(database, { organizationID: toFilterID(organizationID), ...page }),

    get: async ({ id }) => {
      const row = await loadNetworkServer(database, id);
      return {
        networkServer: fromRow(row),
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
        ...(await aboutOf(row.id)),
      };
    },

    create: ({ networkServer }) =>
      database.transaction(async () => {
        if (isEmbedded(networkServer)) throw atField('networkServer.server', refusal('EMBEDDED_BY_SETTING'));
        const now = clock.now();
        const id = await insertNetworkServer(database, { ...toRow(networkServer, now), ...noKeys, created_at: now });
        await updateNetworkServer(database, id, sealKeys(secrets, networkServer, id, noKeys));
        await sendRoutingProfile(await loadNetworkServer(database, String(id)), 'createRoutingProfile');
        return { id: String(id) };
      }),

    update: ({ networkServer }) =>
      database.transaction(async () => {
        const before = await loadNetworkServer(database, networkServer.id);
        refuseMove(before, networkServer);
        const keys = sealKeys(secrets, networkServer, before.id, before);
        await updateNetworkServer(database, before.id, { ...toRow(networkServer, clock.now()), ...keys });
        await sendRoutingProfile(await loadNetworkServer(database, networkServer.id), 'updateRoutingProfile');
        return {};
      }),

    delete: async ({ id }) => {
      const row = await database.transaction(async () => {
        const found = await loadNetworkServer(database, id);
        await refuseWhileUsed(database, 'network-server', found.id, dependents);
        if (isEmbedded(found)) await removeNetworkState(database, found.id);
        const network = isEmbedded(found) ? undefined : await networks.of(found.id);
        await deleteNetworkServer(database, found.id);
        if (network) await ignoreNotFound(network.deleteRoutingProfile({ id: routingProfileID }));
        return found;
      });
      if (isEmbedded(row)) await networks.embedded.refresh(row.id);
      return {};
    },

    getADRAlgorithms: async ({ networkServerId }) => {
      const row = await loadNetworkServer(database, networkServerId);
      const network = await networks.of(row.id);
      return { adrAlgorithms: (await network.getADRAlgorithms({})).adrAlgorithms };
    },
  };
}

function refuseMove(before: NetworkServerRow, networkServer: NetworkServer): void {
  if (before.server !== networkServer.server && (isEmbedded(before) || isEmbedded(networkServer)))
    throw atField('networkServer.server', refusal('EMBEDDED_ADDRESS'));
}
