import { type Operations, type Organization, type OrganizationListItem, type SortableBy } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import { countBy } from '../../database/count-by.ts';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { holdsText } from '../../database/search.ts';
import { toRowID } from '../../identifiers.ts';
import { recordsOf } from '../records.ts';
import type { OrganizationTable } from './tables.ts';

export type OrganizationRow = Selectable<OrganizationTable>;

type Field = SortableBy<Operations['organization']['list']>;

const orders: Orders<Field> = {
  by: {
    id: plain('organization.id'),
    name: alphabetical('organization.name'),
    displayName: alphabetical('organization.display_name'),
    canHaveGateways: plain('organization.can_have_gateways'),
    createdAt: plain('organization.created_at'),
  },
  usual: 'displayName',
  key: 'organization.id',
};

export interface OrganizationFilter extends SortedPage<Field> {
  ids: readonly number[] | undefined;
  /** The organizations whose counts the caller may see; undefined: all. */
  counted: readonly number[] | undefined;
  search: string;
  include: '' | 'counts';
}

/** The searched expression, as the indexes have it. */
const texts = ['lower(organization.name)', 'lower(organization.display_name)'];

/** A page of organizations, usually by display name; `search` is a part of the name or of the display name. */
export async function listOrganizations(
  database: Database,
  { ids, counted, search, include, ...page }: OrganizationFilter,
) {
  const { query, kind } = database;
  const found = search === '' ? undefined : await holdsText(database, 'organization', texts, search);
  const matching = query
    .selectFrom('organization')
    .$if(ids !== undefined, (rows) => rows.where('id', 'in', ids!))
    .$if(found !== undefined, (rows) => rows.where(found!.rule));
  const isCounted = (id: number) => counted === undefined || counted.includes(id);
  const listed = await readInOrder(kind, orders, page, {
    rows: matching.selectAll(),
    count: () => countOf(matching),
    toItem: (row) => ({
      ...toListItem(row),
      ...(include === 'counts' &&
        isCounted(row.id) && { gatewayCount: row.gateway_count, deviceCount: row.device_count }),
    }),
  });
  if (include !== 'counts') return listed;
  const keys = listed.result.map(({ id }) => Number(id)).filter(isCounted);
  const users = await countBy(database, ['organization_user', 'organization_id'], keys);
  const withUsers = (item: (typeof listed.result)[number]) =>
    isCounted(Number(item.id)) ? { ...item, userCount: users.get(Number(item.id)) ?? 0 } : item;
  return { ...listed, result: listed.result.map(withUsers) };
}

export const {
  load: loadOrganization,
  insert: insertOrganization,
  update: updateOrganization,
} = recordsOf('organization', 'organization', toRowID);

/**
 * Locks the organization for this transaction, where the number of its records is limited: they are then created one
 * after the other. SQLite has one writer anyway.
 */
export async function lockOrganization({ query, kind }: Database, id: number): Promise<void> {
  if (kind === 'postgres')
    await query.selectFrom('organization').select('id').where('id', '=', id).forUpdate().execute();
}

/** The columns that every administrator of the organization may change. */
export function toRow(organization: Organization, now: Date) {
  return { name: organization.name, display_name: organization.displayName, updated_at: now };
}

/** The columns that only global administrators may change. */
export function toLimits(organization: Organization) {
  return {
    can_have_gateways: organization.canHaveGateways,
    max_gateway_count: organization.maxGatewayCount,
    max_device_count: organization.maxDeviceCount,
  };
}

export function fromRow(row: OrganizationRow): Organization {
  return {
    id: String(row.id),
    name: row.name,
    displayName: row.display_name,
    canHaveGateways: row.can_have_gateways,
    maxGatewayCount: row.max_gateway_count,
    maxDeviceCount: row.max_device_count,
  };
}

function toListItem(row: OrganizationRow): OrganizationListItem {
  return {
    id: String(row.id),
    name: row.name,
    displayName: row.display_name,
    canHaveGateways: row.can_have_gateways,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
