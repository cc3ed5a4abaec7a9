import {
  atField,
  type Gateway,
  type GatewayConnection,
  gatewayFilters,
  type Location,
  notFound,
  type Operations,
  operations,
  refusal,
} from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { lastPing } from '../../discovery/ping-rows.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { mayCall } from '../../identity/access.ts';
import type { Principals } from '../../identity/principals.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import type { Networks } from '../../network/network-servers.ts';
import { periodOf } from '../../statistics/period.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { links } from '../connecting/routes.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { readFilters } from '../list-filters.ts';
import { claimQuota, releaseQuota } from '../organization-quota.ts';
import { withActivity } from './activity.ts';
import { endCertificateConnections } from './end-certificates.ts';
import { fromNetworkForm, toNetworkForm } from './network-form.ts';
import { toGatewayStats } from './stats.ts';
import {
  deleteGateway,
  fromRow,
  insertGateway,
  listGateways,
  loadGateway,
  ownersOfServiceProfile,
  timesOf,
  updateGateway,
} from './store.ts';

interface GatewayRoutesDependencies {
  database: Database;
  networks: Networks;
  routingProfileID: Uint8Array;
  clock: Clock;
  statistics: Statistics;
  principals: Principals;
}

type GatewayHandlers = Handlers<Operations['gateway']>;

/** How a gateway is connected now; one behind a relay is not. */
function connectionOf({ embedded }: Networks, networkServerID: number, gatewayID: string): GatewayConnection | null {
  const found = embedded.connectionOf(networkServerID, gatewayID);
  return found && found.link !== 'relay' ? { link: links[found.link], address: found.address } : null;
}

/** Gateways: name, location and owner are stored here, profiles and boards at their network server. */
export function gatewayRoutes(needs: GatewayRoutesDependencies): GatewayHandlers {
  return { ...recordHandlers(needs), ...reportHandlers(needs) };
}

/** The gateways themselves. */
function recordHandlers(
  needs: GatewayRoutesDependencies,
): Pick<GatewayHandlers, 'list' | 'get' | 'create' | 'update' | 'delete'> {
  const { database, networks, clock, statistics, routingProfileID } = needs;
  return {
    list: async ({ organizationID, search, filter, include, ...page }, { principal }) => {
      const chosen = toFilterID(organizationID);
      const organizationIDs = chosen === undefined ? visibleOrganizations(principal) : [chosen];
      const now = clock.now();
      const filters = readFilters(gatewayFilters, filter);
      const found = await listGateways(database, { organizationIDs, search, filters, include, ...page, now });
      return include.includes('activity')
        ? { ...found, result: await withActivity(statistics, found.result, now) }
        : found;
    },

    get: async ({ id, include }, { principal }) => {
      const row = await loadGateway(database, id);
      const network = await networks.of(row.network_server_id);
      const { gateway } = await network.getGateway({ id: Uint8Array.fromHex(id) });
      if (!gateway) throw notFound('gateway', id);
      const form = fromNetworkForm(gateway);
      const hidesKeys =
        form.boards.some(({ fineTimestampKey }) => fineTimestampKey !== '') &&
        !(await mayCall({ database }, operations.gateway.update, { gateway: { id } }, principal));
      const boards = hidesKeys ? form.boards.map((board) => ({ ...board, fineTimestampKey: '' })) : form.boards;
      const clockOffsetMs = include ? await networks.embedded.clockOffsetOf(row.network_server_id, id) : null;
      const connection = include === 'connection' ? connectionOf(networks, row.network_server_id, id) : null;
      return {
        gateway: { ...fromRow(row), ...form, boards },
        ...timesOf(row),
        ...(clockOffsetMs !== null && { clockOffset: clockOffsetMs / 1000 }),
        ...(connection && { connection }),
      };
    },

    create: ({ gateway }) =>
      database.transaction(async () => {
        const location = locationOf(gateway);
        const created = await insertGateway(database, gateway, location, clock.now());
        const { organization_id, network_server_id } = created;
        await checkServiceProfile(database, gateway, created);
        await claimQuota(database, organization_id, 'gateway');
        const network = await networks.of(network_server_id);
        try {
          await network.createGateway({ gateway: toNetworkForm(gateway, location, routingProfileID) });
        } catch (error) {
          if (!(error instanceof RpcError && error.code === 'AlreadyExists')) throw error;
        }
        return {};
      }),

    update: ({ gateway }) =>
      database.transaction(async () => {
        const location = locationOf(gateway);
        const before = await loadGateway(database, gateway.id);
        await checkServiceProfile(database, gateway, before);
        await updateGateway(database, gateway, location, clock.now());
        const network = await networks.of(before.network_server_id);
        // The network server does not change the routing-profile.
        const form = { ...toNetworkForm(gateway, location, routingProfileID), routingProfileId: new Uint8Array() };
        await network.updateGateway({ gateway: form });
        return {};
      }),

    delete: ({ id }) =>
      database.transaction(async () => {
        const row = await loadGateway(database, id);
        const network = await networks.of(row.network_server_id);
        await endCertificateConnections(needs, [id]);
        await deleteGateway(database, id);
        await releaseQuota(database, row.organization_id, 'gateway', 1);
        await statistics.remove([`gateway:${id}`]);
        await ignoreNotFound(network.deleteGateway({ id: Uint8Array.fromHex(id) }));
        return {};
      }),
  };
}

/** Statistics, pings and certificates of gateways. */
function reportHandlers({
  database,
  networks,
  statistics,
}: GatewayRoutesDependencies): Pick<GatewayHandlers, 'getStats' | 'getLastPing' | 'generateGatewayClientCertificate'> {
  return {
    getStats: async ({ gatewayID, ...period }) => {
      const { interval, from, to } = periodOf(period);
      await loadGateway(database, gatewayID);
      return { result: (await statistics.read(`gateway:${gatewayID}`, interval, from, to)).map(toGatewayStats) };
    },

    getLastPing: async ({ gatewayID }) => {
      await loadGateway(database, gatewayID);
      const ping = await lastPing(database, gatewayID);
      if (!ping) throw refusal('NO_PING', { gatewayID });
      const { createdAt, frequency, dr, receptions } = ping;
      return { createdAt: createdAt.toISOString(), frequency, dr, pingRX: receptions };
    },

    generateGatewayClientCertificate: async ({ gatewayId }) => {
      const row = await loadGateway(database, gatewayId);
      const network = await networks.of(row.network_server_id);
      const issued = await network.generateGatewayClientCertificate({ id: Uint8Array.fromHex(gatewayId) });
      const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
      return {
        tlsCert: text(issued.tlsCert),
        tlsKey: text(issued.tlsKey),
        caCert: text(issued.caCert),
        expiresAt: issued.expiresAt?.toISOString() ?? null,
      };
    },
  };
}

/** Refuses a service-profile of another organization or on another network-server. */
async function checkServiceProfile(
  database: Database,
  { serviceProfileID }: Gateway,
  of: { organization_id: number; network_server_id: number },
): Promise<void> {
  if (serviceProfileID === '') return;
  const profile = 'service-profile';
  const { organization_id, network_server_id } = await ownersOfServiceProfile(database, serviceProfileID);
  if (organization_id !== of.organization_id)
    throw atField('gateway.serviceProfileID', refusal('FOREIGN_PROFILE', { profile }));
  if (network_server_id !== of.network_server_id)
    throw atField('gateway.serviceProfileID', refusal('PROFILE_ELSEWHERE', { profile, resource: 'gateway' }));
}

function locationOf({ location }: Gateway): Location {
  if (!location) throw atField('gateway.location', refusal('NO_LOCATION'));
  return location;
}
