import { type DeviceInclude, type DeviceListItem, invalidFields } from '@hilltop/contract';
import { integration } from '@hilltop/protobuf';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';
import type { Counters } from '../../statistics/counters.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { statesOf } from './state.ts';
import type { DeviceRow } from './store.ts';

export interface DetailsDependencies {
  database: Database;
  statistics: Pick<Statistics, 'readMany'>;
}

/** The members of a list item that are returned on request. */
export type DeviceDetails = Partial<DeviceListItem>;

type ListedDevice = Pick<DeviceRow, 'dev_eui' | 'last_seen_at'> & { uplink_interval_ms: number };

const hourMs = 3_600_000;
const hours = 24;
/** Each row of a page with statistics or values costs as much as many others. */
const mostRows = 1000;
const mostCharacters = 4096;
/** How many events before the last one may follow an uplink: acknowledgements, downlinks, a status. */
const lastEvents = 8;

/** The details of a page of devices: a few queries, whatever the number of rows. */
export async function detailsOf(
  { database, statistics }: DetailsDependencies,
  rows: readonly ListedDevice[],
  { include, limit, now }: { include: readonly DeviceInclude[]; limit: number; now: Date },
): Promise<ReadonlyMap<string, DeviceDetails>> {
  const wants = (...names: DeviceInclude[]) => names.some((name) => include.includes(name));
  if (wants('health', 'lastValues') && limit > mostRows) {
    const description = `Must be at most ${mostRows} with include=health or lastValues.`;
    throw invalidFields([{ field: 'limit', description }]);
  }
  if (include.length === 0 || rows.length === 0) return new Map();
  const devEUIs = rows.map(({ dev_eui }) => dev_eui);
  const [columns, states, health, values] = await Promise.all([
    columnsOf(database, devEUIs, { withOrganization: wants('organization') }),
    wants('state') ? statesOf(database, rows, now) : undefined,
    wants('health') ? healthOf(database, statistics, devEUIs, now) : undefined,
    wants('lastValues') ? lastValuesOf(database, devEUIs) : undefined,
  ]);
  return new Map(
    rows.map(({ dev_eui: devEUI }): [string, DeviceDetails] => {
      const row = columns.get(devEUI);
      if (!row) return [devEUI, {}];
      const state = states?.get(devEUI);
      const lastValues = values?.get(devEUI);
      return [
        devEUI,
        {
          ...(state && { state, isDisabled: row.is_disabled ?? false }),
          ...(wants('tags') && { tags: row.tags }),
          ...(wants('devAddr') && row.dev_addr !== '' && { devAddr: row.dev_addr }),
          ...(wants('dr') && row.dr !== null && { dr: row.dr }),
          ...(health && { health: { ...health(devEUI), ...lossOf(row) } }),
          ...(wants('createdAt') && { createdAt: row.created_at.toISOString() }),
          ...(wants('applicationName') && { applicationName: row.application_name }),
          ...(row.organization_name !== undefined && {
            organizationID: String(row.organization_id),
            organizationName: row.organization_name,
          }),
          ...(lastValues !== undefined && { lastValues }),
        },
      ];
    }),
  );
}

const organizationName = sql<string>`(select name from organization where id = application.organization_id)`;

function lossOf({ loss, last_seen_at: seenAt }: Pick<DeviceRow, 'loss' | 'last_seen_at'>) {
  return seenAt === null ? {} : { loss: loss ?? 0 };
}

async function columnsOf(
  { query, kind }: Database,
  devEUIs: readonly string[],
  { withOrganization }: { withOrganization: boolean },
) {
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select([
      'device.dev_eui',
      'device.tags',
      'device.dev_addr',
      'device.dr',
      'device.created_at',
      'device.is_disabled',
      'device.loss',
      'device.last_seen_at',
    ])
    .select(['application.name as application_name', 'application.organization_id'])
    .$if(withOrganization, (rows) => rows.select(organizationName.as('organization_name')))
    .where(isInList(kind, 'device.dev_eui', devEUIs))
    .execute();
  return new Map(rows.map((row) => [row.dev_eui, row]));
}

/** How the devices were heard in the last day. */
async function healthOf(
  database: Database,
  statistics: Pick<Statistics, 'readMany'>,
  devEUIs: readonly string[],
  now: Date,
) {
  const subjectOf = (devEUI: string) => `device:${devEUI}`;
  const from = now.getTime() - (hours - 1) * hourMs;
  const [buckets, errors] = await Promise.all([
    statistics.readMany(devEUIs.map(subjectOf), 'HOUR', from),
    codecErrorsOf(database, devEUIs),
  ]);
  return (devEUI: string): NonNullable<DeviceListItem['health']> => {
    const hourly = buckets.get(subjectOf(devEUI)) ?? [];
    const sum = (name: keyof Counters) => hourly.reduce((all, { counters }) => all + (counters[name] ?? 0), 0);
    const uplinks = sum('rx_count');
    const errorAt = errors.get(devEUI);
    return {
      uplinks,
      ...(uplinks > 0 && { rssi: sum('gw_rssi_sum') / uplinks, snr: sum('gw_snr_sum') / uplinks }),
      ...(errorAt !== undefined && { codecErrorAt: new Date(errorAt).toISOString() }),
    };
  };
}

async function codecErrorsOf({ query, kind }: Database, devEUIs: readonly string[]) {
  const { UPLINK_CODEC, DOWNLINK_CODEC } = integration.ErrorType.numbers;
  const rows = await query
    .selectFrom('last_error')
    .select((eb) => ['dev_eui', eb.fn.max('at').as('at')])
    .where(isInList(kind, 'dev_eui', devEUIs))
    .where('kind', 'in', [UPLINK_CODEC, DOWNLINK_CODEC])
    .groupBy('dev_eui')
    .execute();
  return new Map(rows.map(({ dev_eui, at }) => [dev_eui, Number(at)]));
}

/** The decoded object of the last uplink of each device, if it is among its last events in the log. */
async function lastValuesOf({ query, kind }: Database, devEUIs: readonly string[]) {
  const { rows } = await sql<{ dev_eui: string; payload: string }>`
    with recursive chain(dev_eui, pos, nth) as (
      select dev_eui, last_event, 1 from device
      where ${isInList(kind, 'dev_eui', devEUIs)} and last_event is not null
      union all
      select chain.dev_eui, event.previous, nth + 1 from chain
      inner join event on event.pos = chain.pos
      where event.type <> 'up' and event.previous is not null and nth < ${lastEvents}
    )
    select chain.dev_eui, event.payload from chain inner join event on event.pos = chain.pos
    where event.type = 'up'`.execute(query);
  const values = new Map<string, string>();
  for (const { dev_eui, payload } of rows) {
    const { objectJSON = '' } = JSON.parse(payload) as { objectJSON?: string };
    if (objectJSON !== '' && objectJSON.length <= mostCharacters) values.set(dev_eui, objectJSON);
  }
  return values;
}
