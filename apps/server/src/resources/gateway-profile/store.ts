import {
  formatDuration,
  type GatewayProfile,
  type GatewayProfileListItem,
  type Operations,
  parseDuration,
  type SortableBy,
} from '@hilltop/contract';
import type { Selectable } from 'kysely';
import { countBy } from '../../database/count-by.ts';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import { toID } from '../../identifiers.ts';
import { recordsOf } from '../records.ts';
import type { GatewayProfileTable } from './tables.ts';

export type GatewayProfileRow = Selectable<GatewayProfileTable>;

type Field = SortableBy<Operations['gatewayProfile']['list']>;

const orders: Orders<Field> = {
  by: {
    name: alphabetical('gateway_profile.name'),
    networkServerName: alphabetical('network_server.name'),
    createdAt: plain('gateway_profile.created_at'),
  },
  usual: 'name',
  key: 'gateway_profile.id',
};

export interface GatewayProfileFilter extends SortedPage<Field> {
  networkServerID: number | undefined;
  search: string;
  include: '' | 'counts';
}

/** A page of gateway-profiles, usually by name. */
export async function listGatewayProfiles(database: Database, filter: GatewayProfileFilter) {
  const { networkServerID, search, include, ...page } = filter;
  const { query, kind } = database;
  const matching = query
    .selectFrom('gateway_profile')
    .where(isCalled('gateway_profile.name', search))
    .$if(networkServerID !== undefined, (rows) => rows.where('network_server_id', '=', networkServerID!));
  const found = await readInOrder(kind, orders, page, {
    rows: matching
      .innerJoin('network_server', 'network_server.id', 'gateway_profile.network_server_id')
      .selectAll('gateway_profile')
      .select('network_server.name as network_server_name'),
    count: () => countOf(matching),
    toItem: (row) => ({
      ...toListItem(row),
      ...(include === 'counts' && { statsInterval: formatDuration(row.stats_interval_ms) }),
    }),
  });
  if (include !== 'counts') return found;
  const keys = found.result.map(({ id }) => id);
  const gateways = await countBy(database, ['gateway', 'gateway_profile_id'], keys);
  return { ...found, result: found.result.map((item) => ({ ...item, gatewayCount: gateways.get(item.id) ?? 0 })) };
}

export const gatewayProfiles = recordsOf('gateway_profile', 'gateway-profile');

/** The columns of a new gateway-profile. */
export function toRow(id: string, profile: GatewayProfile, now: Date): GatewayProfileRow {
  return {
    id,
    network_server_id: toID(profile.networkServerID, 'network-server'),
    ...toChanges(profile, now),
    created_at: now,
  };
}

/** The columns that an update changes. */
export function toChanges(profile: GatewayProfile, now: Date) {
  return { name: profile.name, stats_interval_ms: statsIntervalMs(profile), updated_at: now };
}

export function statsIntervalMs({ statsInterval }: GatewayProfile): number {
  return parseDuration(statsInterval ?? '0s') ?? 0;
}

export function fromRow(row: GatewayProfileRow) {
  return {
    id: row.id,
    name: row.name,
    networkServerID: String(row.network_server_id),
    statsInterval: formatDuration(row.stats_interval_ms),
  };
}

function toListItem(row: GatewayProfileRow & { network_server_name: string }): GatewayProfileListItem {
  return {
    id: row.id,
    name: row.name,
    networkServerID: String(row.network_server_id),
    networkServerName: row.network_server_name,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
