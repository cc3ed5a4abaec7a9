import {
  type Filter,
  type Gateway,
  type GatewayListItem,
  type GatewayPlace,
  type gatewayFilters,
  gatewayOnlineMs,
  type Location,
  notFound,
  type Operations,
  type RequestOf,
  type SortableBy,
} from '@hilltop/contract';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { isInList, sortableRows } from '../../database/in-list.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage, sparse } from '../../database/order.ts';
import { countOf, searchText } from '../../database/page.ts';
import { beside, holdsText } from '../../database/search.ts';
import { toID, toRowID } from '../../identifiers.ts';
import { descriptionLimit } from '../description-limit.ts';
import { byCondition, byID, byState, byTag, byTime, conditionsOf, type FilterRule } from '../list-filters.ts';
import { recordsOf } from '../records.ts';
import type { GatewayTable } from './tables.ts';

export type GatewayRow = Selectable<GatewayTable>;

type Field = SortableBy<Operations['gateway']['list']>;

const orders: Orders<Field> = {
  by: {
    id: plain('gateway.id'),
    name: alphabetical('gateway.name'),
    networkServerName: alphabetical('network_server.name'),
    createdAt: plain('gateway.created_at'),
    firstSeenAt: sparse('gateway.first_seen_at'),
    lastSeenAt: sparse('gateway.last_seen_at'),
  },
  usual: 'name',
  key: 'gateway.id',
};

/** Which gateways are meant; without organizations, those of all. */
export interface GatewaySelection {
  organizationIDs: readonly number[] | undefined;
  search: string;
  filters: readonly Filter<keyof typeof gatewayFilters>[];
}

export interface GatewayFilter extends SortedPage<Field>, GatewaySelection {
  include: RequestOf<Operations['gateway']['list']>['include'];
  now: Date;
}

/** The columns of a list item without its description. */
const listed = [
  'gateway.id',
  'gateway.name',
  'gateway.organization_id',
  'gateway.network_server_id',
  'gateway.created_at',
  'gateway.updated_at',
  'gateway.first_seen_at',
  'gateway.last_seen_at',
  'gateway.latitude',
  'gateway.longitude',
  'gateway.altitude',
  'gateway.location_source',
  'gateway.location_accuracy',
] as const;
type ListedColumn = (typeof listed)[number] extends `gateway.${infer Column extends keyof GatewayRow}` ? Column : never;
type ListedRow = Pick<GatewayRow, ListedColumn | 'description'>;

/** The gateways of a selection, as conditions for a query of `gateway`. */
export async function conditionsOfGateways(
  database: Database,
  { organizationIDs, search, filters }: GatewaySelection,
  now: Date,
): Promise<RawBuilder<boolean>[]> {
  const found = search === '' ? undefined : await holdsText(database, 'gateway', ['gateway.search_text'], search);
  const conditions: RawBuilder<boolean>[] = [];
  if (organizationIDs !== undefined) {
    const organization = beside(found, 'gateway.organization_id');
    conditions.push(organizationIDs.length === 0 ? sql`false` : sql`${organization} in (${sql.join(organizationIDs)})`);
  }
  if (found) conditions.push(found.rule);
  return [...conditions, ...conditionsOf(filters, gatewayRules(database.kind, now))];
}

export function gatewayRules(kind: Database['kind'], now: Date): Record<keyof typeof gatewayFilters, FilterRule> {
  const onlineSince = new Date(now.getTime() - gatewayOnlineMs);
  return {
    state: byState({
      online: () => sql`gateway.last_seen_at >= ${onlineSince}`,
      offline: () => sql`gateway.last_seen_at < ${onlineSince}`,
      neverSeen: () => sql`gateway.last_seen_at is null`,
    }),
    condition: byCondition(kind, 'GATEWAY', 'gateway.id'),
    networkServer: byID(kind, 'gateway.network_server_id', toRowID),
    gatewayProfile: byID(kind, 'gateway.gateway_profile_id', String),
    tag: byTag(kind, 'gateway.tags'),
    lastSeenAt: byTime('gateway.last_seen_at', now),
  };
}

/** A page of gateways, usually by name. */
export async function listGateways(database: Database, filter: GatewayFilter) {
  const { query, kind } = database;
  const { organizationIDs, search, filters, include, now, ...page } = filter;
  const wanted = await conditionsOfGateways(database, filter, now);
  const matching = wanted.reduce((rows, one) => rows.where(one), query.selectFrom('gateway'));
  const isFiltered = filters.length > 0;
  // Few gateways are selected by the filter, then sorted.
  const some = isFiltered
    ? await matching
        .select('gateway.id')
        .limit(sortableRows + 1)
        .execute()
    : [];
  const ids = some.length > sortableRows ? undefined : some.map(({ id }) => id);
  const rows = isFiltered && ids ? query.selectFrom('gateway').where(isInList(kind, 'gateway.id', ids)) : matching;
  const found = await readInOrder(kind, orders, page, {
    rows: rows
      .innerJoin('network_server', 'network_server.id', 'gateway.network_server_id')
      .select(listed)
      .select(sql<string>`substr(gateway.description, 1, ${descriptionLimit(page.limit)})`.as('description'))
      .select('network_server.name as network_server_name'),
    count: () => (search === '' && !isFiltered ? keptCount(query, organizationIDs) : countOf(matching)),
    toItem: toListItem,
  });
  const tagged = include.includes('tags') ? await withTags(database, found.result) : found.result;
  const result = include.includes('organization') ? await withOrganizations(database, tagged) : tagged;
  return { ...found, result };
}

async function withOrganizations({ query, kind }: Database, gateways: readonly GatewayListItem[]) {
  const ids = [...new Set(gateways.map(({ organizationID }) => Number(organizationID)))];
  const rows = await query
    .selectFrom('organization')
    .select(['id', 'name'])
    .where(isInList(kind, 'id', ids))
    .execute();
  const names = new Map(rows.map(({ id, name }) => [String(id), name]));
  return gateways.map((gateway) => ({ ...gateway, organizationName: names.get(gateway.organizationID) ?? '' }));
}

async function withTags({ query, kind }: Database, gateways: readonly GatewayListItem[]): Promise<GatewayListItem[]> {
  const ids = gateways.map(({ id }) => id);
  const rows = await query
    .selectFrom('gateway')
    .select(['id', 'tags'])
    .where(isInList(kind, 'id', ids))
    .execute();
  const tags = new Map(rows.map((row) => [row.id, row.tags]));
  return gateways.map((gateway) => ({ ...gateway, tags: tags.get(gateway.id) ?? {} }));
}

/** Locations of gateways: only the columns that a map of thousands shows, and none that has to be parsed. */
export async function listPlaces(
  { query }: Database,
  { organizationIDs, limit }: Pick<GatewayFilter, 'organizationIDs' | 'limit'>,
): Promise<GatewayPlace[]> {
  const rows = await query
    .selectFrom('gateway')
    .$if(organizationIDs !== undefined, (all) => all.where('organization_id', 'in', organizationIDs!))
    .select(['id', 'name', 'organization_id', 'latitude', 'longitude', 'last_seen_at'])
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    organizationID: String(row.organization_id),
    latitude: row.latitude,
    longitude: row.longitude,
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  }));
}

async function keptCount(query: Database['query'], organizationIDs: readonly number[] | undefined): Promise<number> {
  const row = await query
    .selectFrom('organization')
    .$if(organizationIDs !== undefined, (rows) => rows.where('id', 'in', organizationIDs!))
    .select((eb) => eb.fn.sum('gateway_count').as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export const { load: loadGateway } = recordsOf('gateway', 'gateway');

/** Locks the gateway until the end of the transaction. SQLite has one writer anyway. */
export async function lockGateway({ query, kind }: Database, id: string): Promise<void> {
  if (kind === 'sqlite') return;
  await query.selectFrom('gateway').select('id').where('id', '=', id).forUpdate().execute();
}

export async function insertGateway({ query }: Database, gateway: Gateway, location: Location, now: Date) {
  const created = {
    id: gateway.id,
    organization_id: toID(gateway.organizationID, 'organization'),
    network_server_id: toID(gateway.networkServerID, 'network-server'),
    metadata: {},
    created_at: now,
  };
  await query
    .insertInto('gateway')
    .values({ ...toChanges(gateway, location, now), ...created })
    .execute();
  return created;
}

export async function updateGateway({ query }: Database, gateway: Gateway, location: Location, now: Date) {
  await query
    .updateTable('gateway')
    .set(toChanges(gateway, location, now))
    .where('id', '=', gateway.id)
    .execute();
}

/** Throws `notFound` when another call removed it first. */
export async function deleteGateway({ query }: Database, id: string): Promise<void> {
  const { numDeletedRows } = await query.deleteFrom('gateway').where('id', '=', id).executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound('gateway', id);
}

/** The organization and network server of a service-profile. Throws `notFound` when there is none. */
export async function ownersOfServiceProfile(
  { query }: Database,
  id: string,
): Promise<{ organization_id: number; network_server_id: number }> {
  const row = await query
    .selectFrom('service_profile')
    .select(['organization_id', 'network_server_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('service-profile', id);
  return row;
}

/** The columns that an update changes. Boards are stored at the network server. */
function toChanges(gateway: Gateway, location: Location, now: Date) {
  return {
    name: gateway.name,
    description: gateway.description,
    discovery_enabled: gateway.discoveryEnabled,
    gateway_profile_id: gateway.gatewayProfileID || null,
    service_profile_id: gateway.serviceProfileID || null,
    latitude: location.latitude,
    longitude: location.longitude,
    altitude: location.altitude,
    location_source: location.source,
    location_accuracy: location.accuracy,
    tags: gateway.tags,
    search_text: searchText(gateway.name, gateway.id),
    updated_at: now,
  };
}

export function fromRow(row: GatewayRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    location: locationOf(row),
    organizationID: String(row.organization_id),
    discoveryEnabled: row.discovery_enabled,
    networkServerID: String(row.network_server_id),
    tags: row.tags,
    metadata: row.metadata,
  };
}

export function timesOf(row: Pick<GatewayRow, ListedColumn>) {
  return {
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    firstSeenAt: row.first_seen_at?.toISOString() ?? null,
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}

function locationOf(row: Pick<GatewayRow, ListedColumn>): Location {
  const { latitude, longitude, altitude } = row;
  const source = row.location_source as Location['source'];
  return { latitude, longitude, altitude, source, accuracy: row.location_accuracy };
}

function toListItem(row: ListedRow & { network_server_name: string }): GatewayListItem {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    ...timesOf(row),
    organizationID: String(row.organization_id),
    networkServerID: String(row.network_server_id),
    location: locationOf(row),
    networkServerName: row.network_server_name,
  };
}

/** Gateways of these organizations; undefined: of any. */
export async function namesOfGateways(
  { query }: Database,
  ids: readonly string[],
  organizationIDs: readonly number[] | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .selectFrom('gateway')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .$if(organizationIDs !== undefined, (all) => all.where('organization_id', 'in', organizationIDs!))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
