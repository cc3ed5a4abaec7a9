import { deviceFilters, type Filter, type Operations, type RequestOf } from '@hilltop/contract';
import { integration } from '@hilltop/protobuf';
import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseKind } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';
import { beside, holdsText } from '../../database/search.ts';
import { hasTag } from '../../database/tags.ts';
import { seenMarkLagMs } from '../../events/seen-mark.ts';
import { toFilterID, toRowID } from '../../identifiers.ts';
import type { Principal } from '../../identity/principals.ts';
import { type ApplicationLimit, applicationLimit, isWithinLimit } from '../../identity/visibility.ts';
import { inactiveAfterIntervals } from '../inactivity.ts';
import {
  byCondition,
  byID,
  byNumber,
  byState,
  byTag,
  byTime,
  conditionsOf,
  type FilterRule,
  readFilters,
} from '../list-filters.ts';

export type DeviceFilterName = keyof typeof deviceFilters;
type Condition = RawBuilder<boolean>;

/** Which devices are meant. Undefined and empty members match all. */
export interface DeviceSelection {
  organizationID?: number | undefined;
  applicationID?: number | undefined;
  serviceProfileID?: string;
  multicastGroupID?: string;
  /** Leaves only some applications of some organizations. */
  within?: ApplicationLimit | undefined;
  search: string;
  /** The devices must have all of them. */
  tags?: Readonly<Record<string, string>>;
  filters: readonly Filter<DeviceFilterName>[];
}

type SelectionRequest = Pick<
  RequestOf<Operations['device']['list']>,
  'organizationID' | 'applicationID' | 'search' | 'filter'
>;

/** Throws code 3 for filters that are not valid. The access rules have checked a selected application. */
export function readSelection(
  { organizationID, applicationID, search, filter }: SelectionRequest,
  principal: Principal,
): DeviceSelection {
  const within = toFilterID(applicationID) === undefined ? applicationLimit(principal) : undefined;
  return {
    ...(within && { within }),
    organizationID: toFilterID(organizationID),
    applicationID: toFilterID(applicationID),
    search,
    filters: readFilters(deviceFilters, filter),
  };
}

/** Must equal the expression of the index of low batteries. */
export const batteryLevel = sql`case when device.external_power_source then null else device.battery_level end`;
/** Devices that were never heard have none. */
const lossOfSeen = sql`case when device.seen_mark is null then null else coalesce(device.loss, 0) end`;
const codecErrorMs = 24 * 3_600_000;
const { OTAA, UPLINK_CODEC, DOWNLINK_CODEC } = integration.ErrorType.numbers;

/** The devices of a selection, as conditions for a query of `device`. */
export async function conditionsOfSelection(
  database: Database,
  selection: DeviceSelection,
  now: Date,
): Promise<Condition[]> {
  const { serviceProfileID = '', multicastGroupID = '', within, search, tags = {}, filters } = selection;
  const found = search === '' ? undefined : await holdsText(database, 'device', ['device.search_text'], search);
  const isNarrow = (found?.isNarrow ?? false) || (await isLarge(database, selection));
  const application = beside({ isNarrow }, 'device.application_id');
  const conditions: Condition[] = [...scopeOf(selection, application)];
  if (serviceProfileID !== '')
    conditions.push(sql`${application} in (select id from application where service_profile_id = ${serviceProfileID})`);
  if (within)
    conditions.push(sql`${application} in (select id from application where ${isWithinLimit(database.kind, within)})`);
  if (multicastGroupID !== '')
    conditions.push(
      sql`device.dev_eui in (select dev_eui from multicast_group_device where multicast_group_id = ${multicastGroupID})`,
    );
  if (found) conditions.push(found.rule);
  for (const [name, value] of Object.entries(tags))
    conditions.push(hasTag(database.kind, 'device.tags', name, value) as Condition);
  const isAlone = filters.length === 1 && search === '';
  if (filters.length > 0) conditions.push(...(await conditionsOfFilters(database, selection, { now, isAlone })));
  return conditions;
}

interface FilterContext {
  now: Date;
  /** Each filter is used without any other. */
  isAlone: boolean;
}

/** Only its filters. */
export async function conditionsOfFilters(
  database: Database,
  selection: Pick<DeviceSelection, 'organizationID' | 'applicationID' | 'filters'>,
  context: FilterContext,
): Promise<Condition[]> {
  const limits = await limitsOf(database, selection, context.now);
  return conditionsOf(selection.filters, rulesOf(database.kind, limits, context));
}

/** The devices that the caller names as a whole. */
function scopeOf({ organizationID, applicationID }: DeviceSelection, application: RawBuilder<number>): Condition[] {
  const conditions: Condition[] = [];
  if (applicationID !== undefined) conditions.push(sql`${application} = ${applicationID}`);
  if (organizationID !== undefined)
    conditions.push(sql`${application} in (select id from application where organization_id = ${organizationID})`);
  return conditions;
}

/**
 * Whether SQLite reads the devices of these applications faster in the order of the file, or of their names, than by the
 * index of applications: each row that it finds by an index costs as much as three in their order.
 */
async function isLarge({ query, kind }: Database, { organizationID, applicationID }: DeviceSelection) {
  if (kind === 'postgres' || (organizationID === undefined && applicationID === undefined)) return false;
  const { inScope, all } = await query
    .selectFrom('application')
    .select((eb) => [
      eb.fn.sum<number | null>('device_count').as('all'),
      eb.fn
        .sum<number | null>('device_count')
        .filterWhere((row) =>
          applicationID === undefined ? row('organization_id', '=', organizationID!) : row('id', '=', applicationID),
        )
        .as('inScope'),
    ])
    .executeTakeFirstOrThrow();
  return 3 * (inScope ?? 0) > (all ?? 0);
}

/** The device-profiles with one uplink interval: their devices are inactive when they were last seen before `since`. */
interface Limit {
  profileIDs: readonly string[];
  since: Date;
}

/** For intervals that are known in advance, the silent devices of each profile are a range of an index. */
async function limitsOf(
  { query }: Database,
  { organizationID, applicationID, filters }: Pick<DeviceSelection, 'organizationID' | 'applicationID' | 'filters'>,
  now: Date,
): Promise<Limit[]> {
  if (!filters.some(({ field }) => field === 'state')) return [];
  const profiles = await query
    .selectFrom('device_profile')
    .select(['id', 'uplink_interval_ms'])
    .$if(organizationID !== undefined, (rows) => rows.where('organization_id', '=', organizationID!))
    .$if(applicationID !== undefined, (rows) =>
      rows.where('organization_id', '=', (eb) =>
        eb.selectFrom('application').select('organization_id').where('id', '=', applicationID!),
      ),
    )
    .execute();
  return [...Map.groupBy(profiles, (one) => one.uplink_interval_ms)].map(([intervalMs, alike]) => ({
    profileIDs: alike.map(({ id }) => id),
    since: new Date(now.getTime() - inactiveAfterIntervals * intervalMs),
  }));
}

function rulesOf(
  kind: DatabaseKind,
  limits: readonly Limit[],
  { now, isAlone }: FilterContext,
): Record<DeviceFilterName, FilterRule> {
  const ofProfile = byID(kind, 'device.device_profile_id', String);
  return {
    state: byState(statesIn(kind, limits, isAlone)),
    condition: byCondition(kind, 'DEVICE', 'device.dev_eui'),
    application: byID(kind, 'device.application_id', toRowID),
    profile: (filter) => withoutIndex(kind, ofProfile(filter)),
    serviceProfile: ({ values }) =>
      sql`device.application_id in (select id from application where ${isInList(kind, 'service_profile_id', values)})`,
    networkServer: ({ values }) =>
      sql`device.device_profile_id in (select id from device_profile where ${isInList(kind, 'network_server_id', values.map(toRowID))})`,
    tag: byTag(kind, 'device.tags'),
    lastSeenAt: byTime('device.last_seen_at', now),
    battery: byNumber(batteryLevel),
    margin: byNumber(sql`device.margin`),
    loss: byNumber(lossOfSeen),
    dr: byNumber(sql`device.dr`),
    errors: () => hasCodecError(now),
    joined: () => sql`device.dev_addr <> ''`,
  };
}

/**
 * A condition that many devices fulfil, which begins with a column. The plus keeps SQLite from the index of the column:
 * reading most rows by an index takes three times as long as reading all.
 */
const withoutIndex = (kind: DatabaseKind, condition: Condition): Condition =>
  kind === 'sqlite' ? sql<boolean>`+${condition}` : condition;

type StateName = keyof (typeof deviceFilters)['state']['choices'];

/** `seen_mark` lags behind `last_seen_at`, so it narrows the search, and the row decides. */
function statesIn(kind: DatabaseKind, limits: readonly Limit[], isAlone: boolean): Record<StateName, () => Condition> {
  const ofProfiles = (of: (since: Date) => Condition, aside = (isOne: Condition) => isOne): Condition => {
    const each = limits.map(
      ({ profileIDs, since }) =>
        sql<boolean>`(${aside(isInList(kind, 'device.device_profile_id', profileIDs))} and ${of(since)})`,
    );
    return each.length === 0 ? sql`false` : sql`(${sql.join(each, sql` or `)})`;
  };
  const active = () =>
    ofProfiles(
      (since) => {
        const perhaps = new Date(since.getTime() - seenMarkLagMs);
        return sql`device.seen_mark >= ${perhaps} and (device.seen_mark >= ${since} or device.last_seen_at >= ${since})`;
      },
      // With one interval for all profiles, the profile says nothing, and comparing it costs a third of the search.
      (isOne) => (kind === 'sqlite' && limits.length === 1 ? sql`true` : withoutIndex(kind, isOne)),
    );
  return {
    active,
    inactive: () =>
      ofProfiles((since) => {
        const surely = new Date(since.getTime() - seenMarkLagMs);
        return sql`device.seen_mark < ${since} and (device.seen_mark < ${surely} or device.last_seen_at < ${since})`;
      }),
    neverSeen: () => {
      const isNew = sql<boolean>`device.seen_mark is null`;
      return isAlone ? isNew : withoutIndex(kind, isNew);
    },
    disabled: () => sql`device.is_disabled`,
    joinRefused: () => sql`(${isJoinRefused(kind)} and not coalesce(${active()}, false))`,
  };
}

/** Whether its last join-request was refused. A third party can forge those, so an active device is not counted. */
function isJoinRefused(kind: DatabaseKind): Condition {
  const seenMs =
    kind === 'sqlite'
      ? sql`round((julianday(refused.last_seen_at) - 2440587.5) * 86400000)`
      : sql`round(extract(epoch from refused.last_seen_at) * 1000)`;
  return sql`device.dev_eui in (
    select refusal.dev_eui from last_error as refusal
    inner join device as refused on refused.dev_eui = refusal.dev_eui
    where refusal.kind = ${sql.lit(OTAA)} and refusal.at > coalesce(${seenMs}, 0)
  )`;
}

function hasCodecError(now: Date): Condition {
  const since = now.getTime() - codecErrorMs;
  return sql`device.dev_eui in (
    select dev_eui from last_error where kind in (${sql.lit(UPLINK_CODEC)}, ${sql.lit(DOWNLINK_CODEC)}) and at >= ${since}
  )`;
}
