import { type Device, notFound } from '@hilltop/contract';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { searchText } from '../../database/page.ts';
import { perDatabase, prepare } from '../../database/prepared.ts';
import type { Tables } from '../../database/tables.ts';
import { newSearchRow, waitingTexts } from '../../database/waiting-texts.ts';
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

/** The device of this EUI, with its profile. */
const ofEUI = (query: Kysely<Tables>, devEUI: string) =>
  query
    .selectFrom('device')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select('device_profile.network_server_id')
    .where('device.dev_eui', '=', devEUI);

const byEUI = perDatabase((database) =>
  prepare<{ devEUI: string }>()(
    database,
    (query, $) =>
      ofEUI(query, $.devEUI)
        .innerJoin('application', 'application.id', 'device.application_id')
        .selectAll('device')
        .select(['device_profile.uplink_interval_ms', 'application.service_profile_id']),
    { isBatched: true },
  ),
);

const shownColumns = [
  ...(['dev_eui', 'name', 'application_id', 'description', 'device_profile_id', 'variables', 'tags'] as const),
  ...(['last_seen_at', 'external_power_source', 'battery_level', 'margin'] as const),
  ...(['latitude', 'longitude', 'altitude'] as const),
] as const;

/** The columns that `get` returns. */
type ShownDevice = Pick<DeviceRow, (typeof shownColumns)[number]>;

const shownByEUI = perDatabase((database) =>
  prepare<{ devEUI: string }>()(
    database,
    (query, $) => ofEUI(query, $.devEUI).select(shownColumns.map((column) => `device.${column}` as const)),
    { isBatched: true },
  ),
);

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

const isThere = perDatabase((database) =>
  prepare<{ devEUI: string }>()(
    database,
    (query, $) => query.selectFrom('device').select('dev_eui').where('dev_eui', '=', $.devEUI),
    { isBatched: true },
  ),
);

/** Throws `notFound` when there is none. */
export async function requireDevice(database: Database, devEUI: string): Promise<void> {
  if (!(await isThere(database).first({ devEUI }))) throw notFound('device', devEUI);
}

/** Locks the device until the end of the transaction. SQLite has one writer anyway. */
export async function lockDevice({ query, kind }: Database, devEUI: string): Promise<void> {
  if (kind === 'sqlite') return;
  await query.selectFrom('device').select('dev_eui').where('dev_eui', '=', devEUI).forUpdate().execute();
}

type NewRow = ReturnType<typeof toRow> & { dev_eui: string };

/** In a multi-row insert, PostgreSQL needs the type of a text. */
const asJSON = <Value>({ kind }: Database, value: Value) =>
  (kind === 'postgres' ? sql<Value>`${value}::jsonb` : value) as Value;

const insertion = perDatabase((database) =>
  prepare<NewRow>()(
    database,
    (query, $) =>
      query.insertInto('device').values((row) => ({
        dev_eui: $.dev_eui,
        application_id: $.application_id,
        device_profile_id: $.device_profile_id,
        name: $.name,
        description: $.description,
        tags: asJSON(database, $.tags),
        variables: asJSON(database, $.variables),
        search_text: $.search_text,
        created_at: $.updated_at,
        updated_at: $.updated_at,
        app_s_key: new Uint8Array(),
        // The log may still have events of an earlier device with this EUI, which do not belong to the new one.
        log_from: row.selectFrom('event').select(sql<number>`coalesce(max(pos), 0)`.as('pos')),
        ...newSearchRow(database),
      })),
    { isBatched: true, rowKey: 'dev_eui' },
  ),
);

export async function insertDevice(database: Database, device: Device, now: Date): Promise<void> {
  await insertion(database).run({ dev_eui: device.devEUI, ...toRow(device, now) });
  if (database.kind === 'sqlite') waitingTexts(database).add();
  invalidateTotals(database);
}

export async function updateDevice(database: Database, device: Device, now: Date): Promise<void> {
  await database.query.updateTable('device').set(toRow(device, now)).where('dev_eui', '=', device.devEUI).execute();
  invalidateTotals(database);
}

export async function deleteDevice(database: Database, devEUI: string): Promise<void> {
  await database.query.deleteFrom('device').where('dev_eui', '=', devEUI).execute();
  invalidateTotals(database);
}

/** Updates the device count of an application, so that lists need not count. */
export async function countDevices(database: Database, applicationID: number, more: number): Promise<void> {
  await around(database).count.run({ id: applicationID, more });
}

/** Reads the columns of its application and profile. */
const around = perDatabase((database) => ({
  count: prepare<{ id: number; more: number }>()(
    database,
    (query, $) =>
      query
        .updateTable('application')
        .set((eb) => ({ device_count: eb('device_count', '+', $.more) }))
        .where('id', '=', $.id),
    { isBatched: true, rowKey: 'id', sumOf: 'more' },
  ),
  application: prepare<{ id: number }>()(
    database,
    (query, $) =>
      query.selectFrom('application').select(['id', 'organization_id', 'service_profile_id']).where('id', '=', $.id),
    { isBatched: true },
  ),
  profile: prepare<{ id: string }>()(
    database,
    (query, $) =>
      query.selectFrom('device_profile').select(['id', 'organization_id', 'network_server_id']).where('id', '=', $.id),
    { isBatched: true },
  ),
}));

/** Throws `notFound` when there is none. */
export async function loadApplicationOf(database: Database, applicationID: string) {
  const row = await around(database).application.first({ id: toRowID(applicationID) });
  if (!row) throw notFound('application', applicationID);
  return row;
}

/** Throws `notFound` when there is none. */
export async function loadProfileOf(database: Database, deviceProfileID: string) {
  const row = await around(database).profile.first({ id: deviceProfileID });
  if (!row) throw notFound('device-profile', deviceProfileID);
  return row;
}

/** The columns that the API may change. The network server stores the rest. */
function toRow(device: Device, now: Date) {
  return {
    application_id: toRowID(device.applicationID),
    device_profile_id: device.deviceProfileID,
    name: device.name,
    description: device.description,
    tags: device.tags,
    variables: device.variables,
    search_text: searchText(device.name, device.devEUI),
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

/** The devices of one application. */
export async function namesOfDevices(
  { query }: Database,
  devEUIs: readonly string[],
  applicationID: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await query
    .selectFrom('device')
    .select(['dev_eui', 'name'])
    .where('dev_eui', 'in', devEUIs)
    .where('application_id', '=', applicationID)
    .execute();
  return new Map(rows.map(({ dev_eui, name }) => [dev_eui, name]));
}
