import {
  type GatewayConnection,
  gatewayFilters,
  notFound,
  type Operations,
  operations,
  refusal,
} from '@hilltop/contract';
import { lastPing } from '../../discovery/ping-rows.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { mayCall } from '../../identity/access.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import type { Networks } from '../../network/network-servers.ts';
import { periodOf } from '../../statistics/period.ts';
import { links } from '../connecting/routes.ts';
import { readFilters } from '../list-filters.ts';
import { withActivity } from './activity.ts';
import { changeGateway, createGateway, type GatewayChangeDependencies, removeGateway } from './change.ts';
import { fromNetworkForm } from './network-form.ts';
import { toGatewayStats } from './stats.ts';
import { fromRow, listGateways, loadGateway, timesOf } from './store.ts';

type GatewayHandlers = Handlers<Operations['gateway']>;

/** How a gateway is connected now; one behind a relay is not. */
function connectionOf({ embedded }: Networks, networkServerID: number, gatewayID: string): GatewayConnection | null {
  const found = embedded.connectionOf(networkServerID, gatewayID);
  return found && found.link !== 'relay' ? { link: links[found.link], address: found.address } : null;
}

/** Gateways: name, location and owner are stored here, profiles and boards at their network server. */
export function gatewayRoutes(needs: GatewayChangeDependencies): GatewayHandlers {
  return { ...recordHandlers(needs), ...reportHandlers(needs) };
}

/** The gateways themselves. */
function recordHandlers(
  needs: GatewayChangeDependencies,
): Pick<GatewayHandlers, 'list' | 'get' | 'create' | 'update' | 'delete'> {
  const { database, networks, clock, statistics } = needs;
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

    create: async ({ gateway }) => {
      await createGateway(needs, gateway);
      return {};
    },
    update: async ({ gateway }) => {
      await changeGateway(needs, gateway);
      return {};
    },
    delete: async ({ id }, { principal }) => {
      await removeGateway(needs, id, principal);
      return {};
    },
  };
}

/** Statistics, pings and certificates of gateways. */
function reportHandlers({
  database,
  networks,
  statistics,
}: GatewayChangeDependencies): Pick<GatewayHandlers, 'getStats' | 'getLastPing' | 'generateGatewayClientCertificate'> {
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
