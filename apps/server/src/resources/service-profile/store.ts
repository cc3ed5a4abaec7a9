import { type Operations, type ServiceProfile, type ServiceProfileListItem, type SortableBy } from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import { countBy, sumBy } from '../../database/count-by.ts';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import { toID } from '../../identifiers.ts';
import { recordsOf } from '../records.ts';
import type { ServiceProfileTable } from './tables.ts';

export type ServiceProfileRow = Selectable<ServiceProfileTable>;

type Field = SortableBy<Operations['serviceProfile']['list']>;

const orders: Orders<Field> = {
  by: {
    name: alphabetical('service_profile.name'),
    networkServerName: alphabetical('network_server.name'),
    createdAt: plain('service_profile.created_at'),
  },
  usual: 'name',
  key: 'service_profile.id',
};

export interface ServiceProfileFilter extends SortedPage<Field> {
  organizationIDs: readonly number[] | undefined;
  networkServerID: number | undefined;
  search: string;
  include: '' | 'counts';
}

/** A page of service-profiles, usually by name. */
export async function listServiceProfiles(database: Database, filter: ServiceProfileFilter) {
  const { organizationIDs, networkServerID, search, include, ...page } = filter;
  const { query, kind } = database;
  const matching = query
    .selectFrom('service_profile')
    .where(isCalled('service_profile.name', search))
    .$if(organizationIDs !== undefined, (rows) => rows.where('organization_id', 'in', organizationIDs!))
    .$if(networkServerID !== undefined, (rows) => rows.where('network_server_id', '=', networkServerID!));
  const found = await readInOrder(kind, orders, page, {
    rows: matching
      .innerJoin('network_server', 'network_server.id', 'service_profile.network_server_id')
      .selectAll('service_profile')
      .select('network_server.name as network_server_name'),
    count: () => countOf(matching),
    toItem: toListItem,
  });
  if (include !== 'counts') return found;
  const keys = found.result.map(({ id }) => id);
  const ofProfile = ['application', 'service_profile_id'] as const;
  const applications = await countBy(database, ofProfile, keys);
  const devices = await sumBy(database, ofProfile, sql<number>`sum(device_count)`, keys);
  const result = found.result.map((item) => ({
    ...item,
    applicationCount: applications.get(item.id) ?? 0,
    deviceCount: devices.get(item.id) ?? 0,
  }));
  return { ...found, result };
}

export const serviceProfiles = recordsOf('service_profile', 'service-profile');

/** The columns of a new service-profile. */
export function toRow(id: string, profile: ServiceProfile, now: Date): ServiceProfileRow {
  return {
    id,
    organization_id: toID(profile.organizationID, 'organization'),
    network_server_id: toID(profile.networkServerID, 'network-server'),
    name: profile.name,
    created_at: now,
    updated_at: now,
  };
}

/** Only the name is stored here; the network server stores the rest. */
export const toChanges = ({ name }: ServiceProfile, now: Date) => ({ name, updated_at: now });

/** The reverse of `toRow`. */
export function fromRow(row: ServiceProfileRow) {
  return {
    id: row.id,
    name: row.name,
    organizationID: String(row.organization_id),
    networkServerID: String(row.network_server_id),
  };
}

function toListItem(row: ServiceProfileRow & { network_server_name: string }): ServiceProfileListItem {
  return {
    ...fromRow(row),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    networkServerName: row.network_server_name,
  };
}
