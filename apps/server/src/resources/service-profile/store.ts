import {
  notFound,
  type Operations,
  type ServiceProfile,
  type ServiceProfileListItem,
  type SortableBy,
} from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import { alphabetical, inOrder, type Orders, plain, type SortedPage } from '../../database/order.ts';
import { countOf, readPage } from '../../database/page.ts';
import type { ServiceProfileTable } from '../../database/tables.ts';
import { toID } from '../../http/identifiers.ts';

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
}

/** A page of service-profiles, usually by name. */
export function listServiceProfiles({ query, kind }: Database, filter: ServiceProfileFilter) {
  const { organizationIDs, networkServerID, limit, offset } = filter;
  const matching = query
    .selectFrom('service_profile')
    .$if(organizationIDs !== undefined, (rows) => rows.where('organization_id', 'in', organizationIDs!))
    .$if(networkServerID !== undefined, (rows) => rows.where('network_server_id', '=', networkServerID!));
  return readPage(
    filter,
    () => countOf(matching),
    async () => {
      const rows = await matching
        .innerJoin('network_server', 'network_server.id', 'service_profile.network_server_id')
        .selectAll('service_profile')
        .select('network_server.name as network_server_name')
        .$call(inOrder(kind, orders, filter.orderBy))
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map(toListItem);
    },
  );
}

/** Throws `notFound` when there is none. */
export async function loadServiceProfile({ query }: Database, id: string): Promise<ServiceProfileRow> {
  const row = await query.selectFrom('service_profile').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('service-profile', id);
  return row;
}

export async function insertServiceProfile({ query }: Database, row: ServiceProfileRow): Promise<void> {
  await query.insertInto('service_profile').values(row).execute();
}

/** Only the name is kept here; the rest is the network server's. */
export async function renameServiceProfile({ query }: Database, id: string, name: string, now: Date): Promise<void> {
  await query.updateTable('service_profile').set({ name, updated_at: now }).where('id', '=', id).execute();
}

export async function deleteServiceProfile({ query }: Database, id: string): Promise<void> {
  await query.deleteFrom('service_profile').where('id', '=', id).execute();
}

/** What of a new service-profile is stored here. */
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
