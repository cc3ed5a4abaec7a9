import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Operations, ResponseOf } from '@hilltop/contract';
import { limitedSubBands, region } from '@hilltop/lorawan';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';
import type { Principal } from '../../identity/principals.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import { regionOf } from '../../network/embedded-address.ts';
import { AirtimeHour, channelOf, unpackHour } from '../../statistics/airtime-hour.ts';
import { hourMs, readAirtime } from '../../statistics/airtime-rows.ts';
import { loadGateway } from '../gateway/store.ts';

type GatewayAirtime = ResponseOf<Operations['gatewayAirtime']['get']>;

const dayMs = 24 * hourMs;
/** Longer periods have steps of a day. */
const longestByHourMs = 8 * dayMs;
const loudest = 10;
/** Unpacking so many rows takes some milliseconds. */
const rowsAtOnce = 100;

const toMs = (us: number) => us / 1000;

export async function airtimeOfGateway(
  database: Database,
  gatewayID: string,
  range: { from: number; to: number },
  principal: Principal,
): Promise<GatewayAirtime> {
  const gateway = await loadGateway(database, gatewayID);
  const name = await regionOfNetworkServer(database, gateway.network_server_id);
  const stepMs = range.to - range.from > longestByHourMs ? dayMs : hourMs;
  const { total, steps, fullest } = await sumHours(database, gatewayID, { ...range, stepMs });
  const visible = visibleOrganizations(principal)?.concat(gateway.organization_id);
  return {
    isReported: name !== undefined,
    region: name ?? '',
    ...totalsOf(total),
    unreadableFrames: total.unreadableFrames,
    stepMs,
    steps: [...steps].map(([start, sums]) => ({ startsAt: new Date(start).toISOString(), ...totalsOf(sums) })),
    channels: channelsOf(total),
    networks: inOrder(total.networks).map(([netID, us]) => ({ netID, ms: toMs(us) })),
    devices: await devicesOf(database, inOrder(total.devices).slice(0, loudest), visible),
    subBands: name === undefined ? [] : subBandsOf(name, total, fullest),
  };
}

async function regionOfNetworkServer({ query }: Database, id: number): Promise<string | undefined> {
  const row = await query.selectFrom('network_server').select('server').where('id', '=', id).executeTakeFirst();
  return row && regionOf(row);
}

/** All hours together, each step, and the most that was sent in one hour by sub-band. */
async function sumHours(
  database: Database,
  gatewayID: string,
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
) {
  const total = new AirtimeHour();
  const steps = new Map<number, AirtimeHour>();
  const fullest = new Map<number, number>();
  const rows = await readAirtime(database, gatewayID, { from, to });
  for (const [position, row] of rows.entries()) {
    if (position % rowsAtOnce === rowsAtOnce - 1) await yieldToEventLoop();
    const hour = unpackHour(row);
    total.addHour(hour);
    const start = row.hour - (row.hour % stepMs);
    const step = steps.get(start) ?? new AirtimeHour();
    step.addHour(hour);
    steps.set(start, step);
    for (const [subBand, { us }] of hour.subBands) fullest.set(subBand, Math.max(fullest.get(subBand) ?? 0, us));
  }
  return { total, steps, fullest };
}

function totalsOf({ ownUs, foreignUs, unreadableUs, sentUs }: AirtimeHour) {
  return { ownMs: toMs(ownUs), foreignMs: toMs(foreignUs), unreadableMs: toMs(unreadableUs), sentMs: toMs(sentUs) };
}

function channelsOf({ channels }: AirtimeHour) {
  return [...channels]
    .map(([key, [ownUs, foreignUs]]) => ({ ...channelOf(key), ownMs: toMs(ownUs), foreignMs: toMs(foreignUs) }))
    .sort((one, other) => one.frequency - other.frequency || (one.dr ?? -1) - (other.dr ?? -1))
    .map(({ dr, ...channel }) => ({ ...channel, ...(dr !== null && { dr }) }));
}

/** Each sub-band of the region, also those in which nothing was sent. */
function subBandsOf(name: string, { subBands }: AirtimeHour, fullest: ReadonlyMap<number, number>) {
  return limitedSubBands(region(name)).map(({ from, to, dutyCycle }) => ({
    ...{ from, to, dutyCycle },
    sentMs: toMs(subBands.get(from)?.us ?? 0),
    fullestHourMs: toMs(fullest.get(from) ?? 0),
  }));
}

/** The devices with their names; those of organizations that the caller does not see have neither. */
async function devicesOf(
  { query, kind }: Database,
  devices: readonly [devEUI: string, us: number][],
  visible: readonly number[] | undefined,
) {
  if (devices.length === 0) return [];
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select(['device.dev_eui', 'device.name', 'device.application_id', 'application.organization_id'])
    .where(
      isInList(
        kind,
        'device.dev_eui',
        devices.map(([devEUI]) => devEUI),
      ),
    )
    .execute();
  const known = new Map(rows.map((row) => [row.dev_eui, row]));
  return devices.map(([devEUI, us]) => {
    const device = known.get(devEUI);
    if (!device || (visible && !visible.includes(device.organization_id)))
      return { devEUI: '', name: '', applicationID: '0', organizationID: '0', ms: toMs(us) };
    return {
      devEUI,
      name: device.name,
      applicationID: String(device.application_id),
      organizationID: String(device.organization_id),
      ms: toMs(us),
    };
  });
}

function inOrder(sums: ReadonlyMap<string, number>): [key: string, us: number][] {
  return [...sums].sort(([, one], [, other]) => other - one);
}
