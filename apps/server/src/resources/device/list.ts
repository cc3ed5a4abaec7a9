import type { DeviceInclude, DeviceListItem, Operations, SortableBy } from '@hilltop/contract';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { isInList, sortableRows } from '../../database/in-list.ts';
import {
  alphabetical,
  alphabeticalIn,
  inOrder,
  type Orders,
  plain,
  type SortedPage,
  sparse,
} from '../../database/order.ts';
import { countOf, type Page, readPage } from '../../database/page.ts';
import { statement } from '../../database/statement.ts';
import type { Form } from '../../database/statement-text.ts';
import type { RowOf, Tables } from '../../database/tables.ts';
import { descriptionLimit } from '../description-limit.ts';
import { countBySubtraction, sumOfApplications } from './count.ts';
import { type DetailsDependencies, type DeviceDetails, detailsOf } from './details.ts';
import { batteryLevel, conditionsOfSelection, type DeviceSelection } from './filters.ts';
import type { DeviceRow } from './store.ts';
import { cachedTotal } from './totals.ts';

type Field = SortableBy<Operations['device']['list']>;

const profileName = sql`(select name from device_profile where id = device.device_profile_id)`;

const orders: Orders<Field> = {
  by: {
    devEUI: plain('device.dev_eui'),
    name: alphabetical('device.name'),
    deviceProfileName: alphabetical(profileName),
    deviceStatusMargin: sparse('device.margin'),
    deviceStatusBatteryLevel: sparse(batteryLevel),
    lastSeenAt: sparse('device.last_seen_at'),
  },
  usual: 'name',
  key: 'device.dev_eui',
};

export interface DeviceFilter extends SortedPage<Field>, DeviceSelection {
  /** The columns that are not part of the recorded message. */
  include: readonly DeviceInclude[];
  now: Date;
}

/** Reading a column costs about as much as finding the row, so only the returned ones are read. */
const shown = [
  'device.dev_eui',
  'device.name',
  'device.application_id',
  'device.device_profile_id',
  'device.last_seen_at',
  'device.battery_level',
  'device.external_power_source',
  'device.margin',
] as const;
/** Columns of its profile. */
const ofProfile = ['device_profile.name as device_profile_name', 'device_profile.uplink_interval_ms'] as const;
type ShownRow = Pick<
  DeviceRow,
  (typeof shown)[number] extends `device.${infer Column extends keyof DeviceRow}` ? Column : never
> & { description: string; device_profile_name: string; uplink_interval_ms: number };

/** The beginning of the description: all of it except in rows of older versions and in long lists. */
const shortened = (characters: number) => sql<string>`substr(device.description, 1, ${characters})`.as('description');

/** A page of the devices of one application without a search: the most frequent list. */
interface PageText {
  direction: 'asc' | 'desc';
  /** Between the columns and `from`. */
  more?: string;
  limit?: string;
  offset?: string;
}

function pageOfApplication({ direction, more = '', limit, offset }: PageText): (form: Form) => string {
  return ({ kind }) => {
    const order = `${alphabeticalIn(kind, 'device.name')} ${direction}, device.dev_eui ${direction}`;
    // With the array, PostgreSQL can only use one index for this order. A generic plan would read all devices by name
    // until it has found those of a small application. SQLite would plan the statement anew for each bare limit.
    const [isWanted, rows] =
      kind === 'postgres'
        ? [
            `device.application_id = any(array[$applicationID]::bigint[])
              order by device.application_id ${direction}, ${order}`,
            `limit ${limit ?? '$limit'} offset ${offset ?? '$offset'}`,
          ]
        : [`device.application_id = $applicationID order by ${order}`, 'limit $limit + 0 offset $offset + 0'];
    return `select ${shown.join(', ')}, device.description, ${ofProfile.join(', ')}${more}
      from (
        select ${shown.join(', ')}, substr(device.description, 1, $characters) as description
        from device where ${isWanted} ${rows}
      ) as device
      inner join device_profile on device_profile.id = device.device_profile_id
      order by ${order}`;
  };
}

const pageParameters = {
  applicationID: 'int8',
  limit: 'int8',
  offset: 'int8',
  /** See `descriptionLimit`. */
  characters: 'int8',
} as const;

const pageFromFirst = statement<ShownRow>()({
  sql: pageOfApplication({ direction: 'asc' }),
  given: pageParameters,
});

const pageFromLast = statement<ShownRow>()({
  sql: pageOfApplication({ direction: 'desc' }),
  given: pageParameters,
});

/** The row of the application has the count. */
const countOfApplication = statement<RowOf<'application', 'device_count'>>()({
  sql: 'select device_count from application where id = $applicationID',
  given: { applicationID: 'int8' },
});

const beginning = (literals?: { limit: string; offset: string }) =>
  statement<ShownRow & { device_count: number | null }>()({
    sql: pageOfApplication({
      direction: 'asc',
      more: ', (select device_count from application where id = $applicationID) as device_count',
      ...literals,
    }),
    given: pageParameters,
  });

/** The most statements with a limit in their text. Pages use fewer different limits. */
const mostLimits = 20;
const beginningWithAnyLimit = beginning();
const beginningsByLimit = new Map<number, ReturnType<typeof beginning>>();

/** With the limit in the text, PostgreSQL knows the cost of the statement and plans it once. */
function beginningOf(database: Database, limit: number): ReturnType<ReturnType<typeof beginning>> {
  if (database.kind === 'sqlite') return beginningWithAnyLimit(database);
  const known = beginningsByLimit.get(limit);
  if (known) return known(database);
  if (beginningsByLimit.size >= mostLimits) return beginningWithAnyLimit(database);
  const withLimit = beginning({ limit: String(limit), offset: '0' });
  beginningsByLimit.set(limit, withLimit);
  return withLimit(database);
}

/** A page of devices. The total is known without counting, except in searches and filters. */
export async function listDevices(needs: DetailsDependencies, filter: DeviceFilter) {
  const { totalCount, result } = await pageOf(needs.database, filter);
  const details = await detailsOf(needs, result, filter);
  return { totalCount, result: result.map((row) => toListItem(row, details.get(row.dev_eui))) };
}

async function pageOf(database: Database, filter: DeviceFilter): Promise<{ totalCount: string; result: ShownRow[] }> {
  const { applicationID, limit, offset, orderBy, now } = filter;
  const { query, kind } = database;
  if (applicationID !== undefined && orderBy === '' && isWholeApplication(filter))
    return listOfApplication(database, applicationID, filter);
  const wanted = await conditionsOfSelection(database, filter, now);
  const all = () => wanted.reduce((rows, one) => rows.where(one), query.selectFrom('device'));
  const few = filter.filters.length === 0 ? undefined : await keysIfFew(all());
  const matching = few ? query.selectFrom('device').where(isInList(kind, 'device.dev_eui', few)) : all();
  // Selects the page first, then its profiles: a late page must not look up the profiles of all rows before it.
  const page = matching
    .select(shown)
    .select(shortened(descriptionLimit(limit)))
    .$call(inOrder(kind, orders, orderBy))
    .limit(limit)
    .offset(offset)
    .as('device');
  return readPage(
    filter,
    async () =>
      few?.length ??
      total(database, filter, async () => (await countBySubtraction(database, filter, now)) ?? countOf(all())),
    () =>
      query
        .selectFrom(page)
        .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
        .select(shown)
        .select(['device.description', ...ofProfile])
        .$call(inOrder(kind, orders, orderBy))
        .execute(),
  );
}

/** The keys of the rows when they are few: these are sorted faster than a page is found by reading all rows in order. */
export async function keysIfFew(rows: SelectQueryBuilder<Tables, 'device', object>): Promise<string[] | undefined> {
  const found = await rows
    .select('device.dev_eui')
    .limit(sortableRows + 1)
    .execute();
  return found.length > sortableRows ? undefined : found.map(({ dev_eui }) => dev_eui);
}

function isWholeApplication(filter: DeviceFilter): boolean {
  const { organizationID, serviceProfileID = '', multicastGroupID = '', within, search, tags = {}, filters } = filter;
  const isNarrowed =
    organizationID !== undefined || within !== undefined || filters.length > 0 || Object.keys(tags).length > 0;
  return !isNarrowed && serviceProfileID === '' && multicastGroupID === '' && search === '';
}

/** Rows are skipped from the nearer end. */
async function listOfApplication(database: Database, applicationID: number, { limit, offset }: Page) {
  const characters = descriptionLimit(limit);
  if (offset === 0) {
    const rows = await beginningOf(database, limit).all({ applicationID, limit, offset, characters });
    if (rows.length > 0) return { totalCount: String(rows[0]!.device_count ?? 0), result: rows };
  }
  const all = (await countOfApplication(database).first({ applicationID }))?.device_count ?? 0;
  const end = Math.min(offset + limit, all);
  const rows =
    offset <= all - end
      ? await pageFromFirst(database).all({ applicationID, limit, offset, characters })
      : (
          await pageFromLast(database).all({
            applicationID,
            limit: Math.max(end - offset, 0),
            offset: all - end,
            characters,
          })
        ).reverse();
  return { totalCount: String(all), result: rows };
}

async function total(database: Database, filter: DeviceFilter, count: () => Promise<number>): Promise<number> {
  const {
    organizationID,
    applicationID,
    serviceProfileID = '',
    multicastGroupID = '',
    within,
    search,
    tags = {},
  } = filter;
  // Members of a group change without a change of any device.
  if (multicastGroupID !== '') return count();
  if (search === '' && Object.keys(tags).length === 0 && filter.filters.length === 0)
    return sumOfApplications(database, filter);
  // Another service-profile of the application changes no device row.
  if (serviceProfileID !== '') return count();
  const key = JSON.stringify([organizationID, applicationID, within, search, tags, filter.filters]);
  return cachedTotal(database, key, count);
}

const unknownMargin = 256;
const noLevel = 255;

function toListItem(row: ShownRow, details: DeviceDetails | undefined): DeviceListItem {
  const isLevelKnown = row.battery_level !== null && !row.external_power_source;
  const battery = isLevelKnown ? Math.trunc(row.battery_level!) : noLevel;
  return {
    devEUI: row.dev_eui,
    name: row.name,
    applicationID: String(row.application_id),
    description: row.description,
    deviceProfileID: row.device_profile_id,
    deviceProfileName: row.device_profile_name,
    deviceStatusBattery: row.external_power_source ? 0 : battery,
    deviceStatusMargin: row.margin ?? unknownMargin,
    deviceStatusExternalPowerSource: row.external_power_source,
    deviceStatusBatteryLevelUnavailable: !isLevelKnown && !row.external_power_source,
    deviceStatusBatteryLevel: isLevelKnown ? row.battery_level! : 0,
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
    ...details,
  };
}
