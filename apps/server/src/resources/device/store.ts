import { type Device, type Location, notFound } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import { searchText } from '../../database/page.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';
import { unindexedTexts } from '../../database/unindexed-texts.ts';
import { toRowID } from '../../identifiers.ts';
import type { DeviceTable } from './tables.ts';
import { invalidateTotals } from './totals.ts';

export type DeviceRow = Selectable<DeviceTable>;

/** A device with the columns of its profile and application that its network server needs. */
export type DeviceWithOwners = DeviceRow & {
  network_server_id: number;
  service_profile_id: string;
  uplink_interval_ms: number;
};

const byEUI = statement<DeviceWithOwners>()({
  sql: `select device_profile.network_server_id, device.*, device_profile.uplink_interval_ms,
      application.service_profile_id
    from device
    inner join device_profile on device_profile.id = device.device_profile_id
    inner join application on application.id = device.application_id
    where device.dev_eui = $devEUI`,
  given: { devEUI: 'text' },
  batch: {},
});

const shownColumns = [
  ...(['dev_eui', 'name', 'application_id', 'description', 'device_profile_id', 'variables', 'tags'] as const),
  ...(['last_seen_at', 'external_power_source', 'battery_level', 'margin'] as const),
  ...(['latitude', 'longitude', 'altitude'] as const),
] as const;

/** The columns that `get` returns. */
type ShownDevice = Pick<DeviceRow, (typeof shownColumns)[number]>;

const shownByEUI = statement<ShownDevice & Pick<DeviceWithOwners, 'network_server_id'>>()({
  sql: `select device_profile.network_server_id, ${shownColumns.map((column) => `device.${column}`).join(', ')}
    from device
    inner join device_profile on device_profile.id = device.device_profile_id
    where device.dev_eui = $devEUI`,
  given: { devEUI: 'text' },
  batch: {},
});

/** Returns half of the columns, which takes half of the time. Throws `notFound` when there is none. */
export async function loadShownDevice(
  database: Database,
  devEUI: string,
): Promise<ShownDevice & Pick<DeviceWithOwners, 'network_server_id'>> {
  const row = await shownByEUI(database).first({ devEUI });
  if (!row) throw notFound('device', devEUI);
  return row;
}

/** Throws `notFound` when there is none. */
export async function loadDevice(database: Database, devEUI: string): Promise<DeviceWithOwners> {
  const row = await byEUI(database).first({ devEUI });
  if (!row) throw notFound('device', devEUI);
  return row;
}

const networkServerByEUI = statement<Pick<DeviceWithOwners, 'network_server_id'>>()({
  sql: `select device_profile.network_server_id from device
    inner join device_profile on device_profile.id = device.device_profile_id
    where device.dev_eui = $devEUI`,
  given: { devEUI: 'text' },
  batch: {},
});

/** The id of the network server of a device. Throws `notFound` when there is no such device. */
export async function networkServerOf(database: Database, devEUI: string): Promise<number> {
  const row = await networkServerByEUI(database).first({ devEUI });
  if (!row) throw notFound('device', devEUI);
  return row.network_server_id;
}

/** The same on PostgreSQL, and locks the device until the end of the transaction. */
export async function lockWithNetworkServer(database: Database, devEUI: string): Promise<number> {
  const row = await lockingWithNetworkServer(database).first({ devEUI });
  if (!row) throw notFound('device', devEUI);
  return row.network_server_id;
}

const lockingWithNetworkServer = statement<Pick<DeviceWithOwners, 'network_server_id'>>()({
  sql: `select device_profile.network_server_id from device
    inner join device_profile on device_profile.id = device.device_profile_id
    where device.dev_eui = $devEUI for update of device`,
  given: { devEUI: 'text' },
  only: 'postgres',
});

const ownerByEUI = statement<{ name: string; organization_id: number }>()({
  sql: `select device.name, application.organization_id from device
    inner join application on application.id = device.application_id
    where device.dev_eui = $devEUI`,
  given: { devEUI: 'text' },
  batch: {},
});

/** The name and the organization of a device. Throws `notFound` when there is none. */
export async function loadOwnerOf(database: Database, devEUI: string) {
  const row = await ownerByEUI(database).first({ devEUI });
  if (!row) throw notFound('device', devEUI);
  return { devEUI, name: row.name, organizationID: row.organization_id };
}

/** Locks the device until the end of the transaction. SQLite has one writer anyway. */
export async function lockDevice(database: Database, devEUI: string): Promise<void> {
  if (database.kind === 'postgres') await locking(database).all({ devEUI });
}

const locking = statement<RowOf<'device', 'dev_eui'>>()({
  sql: 'select dev_eui from device where dev_eui = $devEUI for update',
  given: { devEUI: 'text' },
  only: 'postgres',
  batch: {},
});

const lockingNames = statement<RowOf<'device', 'tags' | 'variables'>>()({
  sql: ({ kind }) =>
    `select tags, variables from device where dev_eui = $devEUI${kind === 'postgres' ? ' for update' : ''}`,
  given: { devEUI: 'text' },
  batch: {},
});

/** The tags and variables of a device, which is locked until the end of the transaction. Throws `notFound` when there is none. */
export async function lockNames(database: Database, devEUI: string): Promise<Pick<DeviceRow, 'tags' | 'variables'>> {
  const row = await lockingNames(database).first({ devEUI });
  if (!row) throw notFound('device', devEUI);
  return row;
}

const changingNames = (member: 'tags' | 'variables') =>
  statement()({
    sql: ({ kind, from }) =>
      `update device set ${member} = $names${kind === 'postgres' ? '::jsonb' : ''}, updated_at = $now ${from}
      where dev_eui = $devEUI`,
    given: { devEUI: 'text', names: 'json', now: 'timestamptz' },
    batch: { rowKey: 'devEUI' },
  });
const changingByMember = { tags: changingNames('tags'), variables: changingNames('variables') };

export async function updateNames(
  database: Database,
  { devEUI, member, names }: { devEUI: string; member: 'tags' | 'variables'; names: Device['tags'] },
  now: Date,
): Promise<void> {
  await changingByMember[member](database).run({ devEUI, names, now });
  invalidateTotals(database);
}

const deviceColumns = {
  dev_eui: 'text',
  application_id: 'int8',
  device_profile_id: 'text',
  name: 'text',
  description: 'text',
  tags: 'json',
  variables: 'json',
  search_text: 'text',
  is_disabled: 'bool',
  updated_at: 'timestamptz',
} as const;

const insertion = statement()({
  /*
   * In a multi-row insert, PostgreSQL needs the type of a text. On SQLite `search_row` says that the device waits for the
   * index of texts. The log may still have events of an earlier device with this EUI, which do not belong to the new one.
   */
  sql: ({ kind, values }) => {
    const [asJSON, searchColumn, searchRow] = kind === 'postgres' ? ['::jsonb', '', ''] : ['', ', search_row', ', 0'];
    return `insert into device (dev_eui, application_id, device_profile_id, name, description, tags, variables,
        search_text, is_disabled, created_at, updated_at, app_s_key, log_from${searchColumn})
      ${values(`$dev_eui, $application_id, $device_profile_id, $name, $description, $tags${asJSON},
        $variables${asJSON}, $search_text, $is_disabled, $updated_at, $updated_at, ${kind === 'postgres' ? "''" : "x''"},
        (select coalesce(max(pos), 0) from event)${searchRow}`)}`;
  },
  given: deviceColumns,
  batch: { rowKey: 'dev_eui' },
});

export async function insertDevice(database: Database, device: Device, now: Date): Promise<void> {
  await insertion(database).run({ dev_eui: device.devEUI, ...toRow(device, now) });
  if (database.kind === 'sqlite') unindexedTexts(database).add();
  invalidateTotals(database);
}

const changing = statement()({
  sql: `update device set application_id = $application_id, device_profile_id = $device_profile_id, name = $name,
      description = $description, tags = $tags, variables = $variables, search_text = $search_text,
      is_disabled = $is_disabled, updated_at = $updated_at
    where dev_eui = $dev_eui`,
  given: deviceColumns,
});

export async function updateDevice(database: Database, device: Device, now: Date): Promise<void> {
  await changing(database).run({ dev_eui: device.devEUI, ...toRow(device, now) });
  invalidateTotals(database);
}

/** The device reads only events that follow: earlier ones belong to the organization that it has left. */
export async function beginLogAnew({ query }: Database, devEUI: string): Promise<void> {
  await query
    .updateTable('device')
    .set((eb) => ({
      log_from: eb.selectFrom('event').select((of) => of.fn.coalesce(of.fn.max('pos'), of.lit(0)).as('pos')),
      ...{ last_event: null, previous_event: null },
    }))
    .where('dev_eui', '=', devEUI)
    .execute();
  await query.deleteFrom('join_log').where('dev_eui', '=', devEUI).execute();
}

export async function deleteDevice(database: Database, devEUI: string): Promise<void> {
  await database.query.deleteFrom('device').where('dev_eui', '=', devEUI).execute();
  invalidateTotals(database);
}

/** Updates the device count of an application, so that lists need not count. */
export async function countDevices(database: Database, applicationID: number, more: number): Promise<void> {
  await addDevices(database).run({ id: applicationID, more });
}

const addDevices = statement()({
  sql: ({ from }) => `update application set device_count = device_count + $more ${from} where id = $id`,
  given: { id: 'int8', more: 'int8' },
  batch: { rowKey: 'id', sumOf: 'more' },
});

const applicationByID = statement<RowOf<'application', 'id' | 'organization_id' | 'service_profile_id'>>()({
  sql: 'select id, organization_id, service_profile_id from application where id = $id',
  given: { id: 'int8' },
  batch: {},
});

const profileByID = statement<RowOf<'device_profile', 'id' | 'organization_id' | 'network_server_id'>>()({
  sql: 'select id, organization_id, network_server_id from device_profile where id = $id',
  given: { id: 'text' },
  batch: {},
});

/** Throws `notFound` when there is none. */
export async function loadApplicationOf(database: Database, applicationID: string) {
  const row = await applicationByID(database).first({ id: toRowID(applicationID) });
  if (!row) throw notFound('application', applicationID);
  return row;
}

/** Throws `notFound` when there is none. */
export async function loadProfileOf(database: Database, deviceProfileID: string) {
  const row = await profileByID(database).first({ id: deviceProfileID });
  if (!row) throw notFound('device-profile', deviceProfileID);
  return row;
}

/** The columns that the API may change. The network server stores the rest, and `isDisabled` too. */
function toRow(device: Device, now: Date) {
  return {
    application_id: toRowID(device.applicationID),
    device_profile_id: device.deviceProfileID,
    name: device.name,
    description: device.description,
    tags: device.tags,
    variables: device.variables,
    search_text: searchText(device.name, device.devEUI),
    is_disabled: device.isDisabled,
    updated_at: now,
  };
}

/** The stored part of a device, as the API returns it. */
export function fromRow(row: ShownDevice) {
  return {
    devEUI: row.dev_eui,
    name: row.name,
    applicationID: String(row.application_id),
    description: row.description,
    deviceProfileID: row.device_profile_id,
    variables: row.variables,
    tags: row.tags,
  };
}

/** Where a user says that the device is; its uplinks may locate it later. */
/** Null removes the position. */
export async function storePosition({ query }: Database, devEUI: string, location: Location | null): Promise<void> {
  const { latitude = null, longitude = null, altitude = null } = location ?? {};
  await query.updateTable('device').set({ latitude, longitude, altitude }).where('dev_eui', '=', devEUI).execute();
}

const unknown = 256;

/** The status that the device reported, as `get` returns it. */
export function statusOf(row: ShownDevice) {
  const { latitude, longitude, altitude } = row;
  return {
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
    deviceStatusBattery: row.external_power_source ? 0 : Math.trunc(row.battery_level ?? unknown),
    deviceStatusMargin: row.margin ?? unknown,
    location:
      latitude === null || longitude === null
        ? null
        : { latitude, longitude, altitude: altitude ?? 0, source: 'UNKNOWN' as const, accuracy: 0 },
  };
}

/** Of these devices, those of one application or organization. */
export async function namesOfDevices(
  { query }: Database,
  devEUIs: readonly string[],
  { applicationID, organizationID }: { applicationID?: number; organizationID?: number },
): Promise<ReadonlyMap<string, string>> {
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select(['device.dev_eui', 'device.name'])
    .where('device.dev_eui', 'in', devEUIs)
    .$if(applicationID !== undefined, (all) => all.where('device.application_id', '=', applicationID!))
    .$if(organizationID !== undefined, (all) => all.where('application.organization_id', '=', organizationID!))
    .execute();
  return new Map(rows.map(({ dev_eui, name }) => [dev_eui, name]));
}
