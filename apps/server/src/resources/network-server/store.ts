import { type NetworkServer, type NetworkServerListItem, type Operations, type SortableBy } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import { countBy } from '../../database/count-by.ts';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import { toRowID } from '../../identifiers.ts';
import { recordsOf } from '../records.ts';
import type { NetworkServerTable } from './tables.ts';

export type NetworkServerRow = Selectable<NetworkServerTable>;

type Field = SortableBy<Operations['networkServer']['list']>;

const orders: Orders<Field> = {
  by: {
    id: plain('network_server.id'),
    name: alphabetical('network_server.name'),
    server: alphabetical('network_server.server'),
    createdAt: plain('network_server.created_at'),
  },
  usual: 'name',
  key: 'network_server.id',
};

export interface NetworkServerFilter extends SortedPage<Field> {
  /** Network servers that have a service-profile of this organization. */
  organizationID: number | undefined;
  search: string;
  include: '' | 'counts';
}

/** A page of network-servers, usually by name. */
export async function listNetworkServers(database: Database, filter: NetworkServerFilter) {
  const { organizationID, search, include, ...page } = filter;
  const { query, kind } = database;
  const matching = query
    .selectFrom('network_server')
    .where(isCalled('network_server.name', search))
    .$if(organizationID !== undefined, (rows) =>
      rows.where((eb) =>
        eb.exists(
          eb
            .selectFrom('service_profile')
            .select('service_profile.id')
            .whereRef('service_profile.network_server_id', '=', 'network_server.id')
            .where('service_profile.organization_id', '=', organizationID!),
        ),
      ),
    );
  const found = await readInOrder(kind, orders, page, {
    rows: matching.selectAll(),
    count: () => countOf(matching),
    toItem: toListItem,
  });
  if (include !== 'counts') return found;
  const keys = found.result.map(({ id }) => Number(id));
  const gateways = await countBy(database, ['gateway', 'network_server_id'], keys);
  const devices = await devicesAt(database);
  const result = found.result.map((item) => ({
    ...item,
    gatewayCount: gateways.get(Number(item.id)) ?? 0,
    deviceCount: devices.get(Number(item.id)) ?? 0,
  }));
  return { ...found, result };
}

/** The number of devices of each network server, as counted by application. */
async function devicesAt({ query }: Database): Promise<ReadonlyMap<number, number>> {
  const rows = await query
    .selectFrom('application')
    .innerJoin('service_profile', 'service_profile.id', 'application.service_profile_id')
    .select((eb) => ['network_server_id', eb.fn.sum<number>('device_count').as('count')])
    .groupBy('network_server_id')
    .execute();
  return new Map(rows.map((row) => [row.network_server_id, Number(row.count)]));
}

export const {
  load: loadNetworkServer,
  insert: insertNetworkServer,
  update: updateNetworkServer,
  remove: deleteNetworkServer,
} = recordsOf('network_server', 'network-server', toRowID);

/** The columns of an embedded network server, which has no connection. */
export const unconnected = {
  ca_cert: '',
  tls_cert: '',
  tls_key: new Uint8Array(),
  routing_profile_ca_cert: '',
  routing_profile_tls_cert: '',
  routing_profile_tls_key: new Uint8Array(),
  gateway_discovery_enabled: false,
  gateway_discovery_interval: 0,
  gateway_discovery_tx_frequency: 0,
  gateway_discovery_dr: 0,
};

/** All columns but the keys, which are sealed with the id of the row. */
export function toRow(server: NetworkServer, now: Date) {
  return {
    name: server.name,
    server: server.server,
    ca_cert: server.caCert,
    tls_cert: server.tlsCert,
    routing_profile_ca_cert: server.routingProfileCACert,
    routing_profile_tls_cert: server.routingProfileTLSCert,
    gateway_discovery_enabled: server.gatewayDiscoveryEnabled,
    gateway_discovery_interval: server.gatewayDiscoveryInterval,
    gateway_discovery_tx_frequency: server.gatewayDiscoveryTXFrequency,
    gateway_discovery_dr: server.gatewayDiscoveryDR,
    updated_at: now,
  };
}

/** Keys are never returned: their fields are empty. */
export function fromRow(row: NetworkServerRow): NetworkServer {
  return {
    id: String(row.id),
    name: row.name,
    server: row.server,
    caCert: row.ca_cert,
    tlsCert: row.tls_cert,
    tlsKey: '',
    routingProfileCACert: row.routing_profile_ca_cert,
    routingProfileTLSCert: row.routing_profile_tls_cert,
    routingProfileTLSKey: '',
    gatewayDiscoveryEnabled: row.gateway_discovery_enabled,
    gatewayDiscoveryInterval: row.gateway_discovery_interval,
    gatewayDiscoveryTXFrequency: row.gateway_discovery_tx_frequency,
    gatewayDiscoveryDR: row.gateway_discovery_dr,
  };
}

function toListItem(row: NetworkServerRow): NetworkServerListItem {
  return {
    id: String(row.id),
    name: row.name,
    server: row.server,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
