import { type MulticastGroupListItem, notFound, type Operations, type SortableBy } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import { countBy } from '../../database/count-by.ts';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { contains } from '../../database/search.ts';
import { toRowID } from '../../identifiers.ts';
import { type ApplicationLimit, isWithinLimit } from '../../identity/visibility.ts';
import { recordsOf } from '../records.ts';
import type { MulticastGroupTable } from './tables.ts';

type Field = SortableBy<Operations['multicastGroup']['list']>;

const orders: Orders<Field> = {
  by: { name: alphabetical('multicast_group.name'), applicationName: alphabetical('application.name') },
  usual: 'name',
  key: 'multicast_group.id',
};

export interface MulticastGroupFilter extends SortedPage<Field> {
  organizationID: number | undefined;
  applicationID: number | undefined;
  within: ApplicationLimit | undefined;
  /** '' matches any. */
  serviceProfileID: string;
  devEUI: string;
  search: string;
  include: '' | 'counts';
}

/** A page of groups, usually by name. */
export async function listMulticastGroups(database: Database, filter: MulticastGroupFilter) {
  const { organizationID, applicationID, within, serviceProfileID, devEUI, search, include, ...page } = filter;
  const matching = database.query
    .selectFrom('multicast_group')
    .innerJoin('application', 'application.id', 'multicast_group.application_id')
    .$if(organizationID !== undefined, (rows) => rows.where('application.organization_id', '=', organizationID!))
    .$if(applicationID !== undefined, (rows) => rows.where('multicast_group.application_id', '=', applicationID!))
    .$if(within !== undefined, (rows) => rows.where(isWithinLimit(database.kind, within!)))
    .$if(serviceProfileID !== '', (rows) => rows.where('application.service_profile_id', '=', serviceProfileID))
    .$if(devEUI !== '', (rows) =>
      rows.where('multicast_group.id', 'in', (eb) =>
        eb.selectFrom('multicast_group_device').select('multicast_group_id').where('dev_eui', '=', devEUI),
      ),
    )
    .$if(search !== '', (rows) => rows.where(contains('lower(multicast_group.name)', search)));
  const found = await readInOrder(database.kind, orders, page, {
    rows: matching.selectAll('multicast_group').select('application.name as application_name'),
    count: () => countOf(matching),
    toItem: toListItem,
  });
  if (include !== 'counts') return found;
  const keys = found.result.map(({ id }) => id);
  const devices = await countBy(database, ['multicast_group_device', 'multicast_group_id'], keys);
  return { ...found, result: found.result.map((item) => ({ ...item, deviceCount: devices.get(item.id) ?? 0 })) };
}

export const {
  insert: insertGroup,
  update: updateGroup,
  remove: removeGroup,
} = recordsOf('multicast_group', 'multicast-group');

/** A group with the columns that its network server needs. Throws `notFound` when there is none. */
export async function loadGroup({ query }: Database, id: string) {
  const row = await query
    .selectFrom('multicast_group')
    .innerJoin('application', 'application.id', 'multicast_group.application_id')
    .innerJoin('service_profile', 'service_profile.id', 'application.service_profile_id')
    .selectAll('multicast_group')
    .select(['application.service_profile_id', 'service_profile.network_server_id'])
    .where('multicast_group.id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('multicast-group', id);
  return row;
}
/** The application that a group is created in. Throws `notFound` when there is none. */
export const { load: loadApplicationOfGroup } = recordsOf('application', 'application', toRowID);

/** Throws `notFound` when there is no such device. */
export async function applicationIDOfDevice({ query }: Database, devEUI: string): Promise<number> {
  const row = await query
    .selectFrom('device')
    .select('application_id')
    .where('dev_eui', '=', devEUI)
    .executeTakeFirst();
  if (!row) throw notFound('device', devEUI);
  return row.application_id;
}

export type GroupWithOwners = Awaited<ReturnType<typeof loadGroup>>;

/** Locks the group until the end of the transaction. SQLite has one writer anyway. */
export async function lockGroup({ query, kind }: Database, id: string): Promise<void> {
  if (kind === 'sqlite') return;
  await query.selectFrom('multicast_group').select('id').where('id', '=', id).forUpdate().execute();
}

/** Locks the groups of an application like `lockGroup`; resolves with those that exist. */
export async function lockGroups(
  { query, kind }: Database,
  applicationID: number,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await query
    .selectFrom('multicast_group')
    .select('id')
    .where('id', 'in', ids)
    .where('application_id', '=', applicationID)
    .orderBy('id')
    .$if(kind === 'postgres', (groups) => groups.forUpdate())
    .execute();
  return rows.map(({ id }) => id);
}

export const mcAppSKeyPurpose = (id: string) => `multicast_group.mc_app_s_key:${id}`;

function toListItem(row: Selectable<MulticastGroupTable> & { application_name: string }): MulticastGroupListItem {
  return {
    id: row.id,
    name: row.name,
    applicationID: String(row.application_id),
    applicationName: row.application_name,
  };
}
