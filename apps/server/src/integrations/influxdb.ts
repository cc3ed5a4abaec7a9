import type { InfluxDBIntegration } from '@hilltop/contract';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { leavesOf, locationsOf, type Scalar } from './decoded-object.ts';
import { bestReception, type EventJson, hexOf, objectOf, readEvent } from './event-json.ts';
import { encodeForm } from './form-encoding.ts';
import { geohash } from './geohash.ts';
import type { DeliveryJob, IntegrationAdapter } from './integration.ts';
import { isLate } from './late-events.ts';
import { expectSuccess } from './outcome.ts';

/** Nanoseconds of each unit. */
const nanoseconds = { NS: 1n, U: 1000n, MS: 1_000_000n, S: 10n ** 9n, M: 60n * 10n ** 9n, H: 3600n * 10n ** 9n };

/** Writes decoded values and device status as points of a time series. */
export const influxdb: IntegrationAdapter<InfluxDBIntegration> = {
  eventTypes: ['up', 'status'],
  deliver: (event, job) => write(linesOf(event, isLate(event, job.now()) ? timeOf(event, job.config) : undefined), job),
  deliverBatch: {
    maxEvents: 100,
    // Points of a series with the same time replace each other: in a batch each gets the time of its event.
    deliver: (events, job) =>
      write(
        events.flatMap((event) => linesOf(event, timeOf(event, job.config))),
        job,
      ),
  },
};

async function write(lines: readonly string[], { config, send, now }: DeliveryJob<InfluxDBIntegration>): Promise<void> {
  if (lines.length === 0) return;
  const { endpoint } = config;
  const url = `${endpoint}${endpoint.includes('?') ? '&' : '?'}${queryOf(config)}`;
  const headers = [['Content-Type', 'text/plain'] as const, ...authorization(config)];
  expectSuccess(await send({ method: 'POST', url, headers, body: lines.join('\n'), timeoutMs: 10_000 }), now());
}

function queryOf({ version, db, precision, retentionPolicyName, bucket, organization }: InfluxDBIntegration): string {
  if (version === 'INFLUXDB_2')
    return encodeForm([
      ['bucket', bucket],
      ['org', organization],
    ]);
  return encodeForm([
    ['db', db],
    ['precision', precision.toLowerCase()],
    ['rp', retentionPolicyName],
  ]);
}

function authorization({ version, username, password, token }: InfluxDBIntegration): [string, string][] {
  if (version === 'INFLUXDB_2') return [['Authorization', `Token ${token}`]];
  if (username === '' && password === '') return [];
  return [['Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`]];
}

/** The time of an event in the unit of the database. Requests to version 2 name no unit, so theirs is nanoseconds. */
function timeOf({ at }: LoggedEvent, { version, precision }: InfluxDBIntegration): string {
  const unit = nanoseconds[version === 'INFLUXDB_2' ? 'NS' : precision];
  return String((BigInt(at.getTime()) * 1_000_000n) / unit);
}

type Tags = Readonly<Record<string, string | number>>;
type Values = Readonly<Record<string, string>>;

function linesOf(event: LoggedEvent, time: string | undefined): string[] {
  const read = readEvent(event);
  const lines =
    read.type === 'up' ? uplinkLines(read.payload) : read.type === 'status' ? statusLines(read.payload) : [];
  return lines.map((line) => (time === undefined ? line : `${line} ${time}`)).sort();
}

function uplinkLines(up: EventJson<'up'>): string[] {
  const object = objectOf(up);
  if (object === undefined) return [];
  const best = bestReception(up.rxInfo);
  const device = deviceTags(up);
  const portTags = { ...device, f_port: up.fPort };
  return [
    line(
      'device_uplink',
      { ...device, dr: up.dr, frequency: up.txInfo?.frequency ?? 0 },
      {
        value: '1i',
        f_cnt: `${up.fCnt}i`,
        ...(best && { rssi: `${best.rssi}i`, snr: float(best.loRaSNR) }),
      },
    ),
    ...leavesOf(object)
      .filter(({ path }) => !['latitude', 'longitude'].includes(path.at(-1) ?? ''))
      .map(({ path, value }) => line(measurement(path), portTags, { value: fieldText(value) })),
    ...locationsOf(object).map(({ path, latitude, longitude }) =>
      line(`${measurement(path)}_location`, portTags, {
        latitude: float(latitude),
        longitude: float(longitude),
        geohash: fieldText(geohash(latitude, longitude)),
      }),
    ),
  ];
}

function statusLines(status: EventJson<'status'>): string[] {
  const tags = deviceTags(status);
  const isBatteryKnown = !status.batteryLevelUnavailable && !status.externalPowerSource;
  return [
    ...(isBatteryKnown ? [line('device_status_battery_level', tags, { value: float(status.batteryLevel) })] : []),
    line('device_status_margin', tags, { value: `${status.margin}i` }),
  ];
}

function deviceTags({ applicationName, deviceName, devEUI, tags }: EventJson<'up'> | EventJson<'status'>): Tags {
  return { ...tags, application_name: applicationName, device_name: deviceName, dev_eui: hexOf(devEUI) };
}

function measurement(path: readonly string[]): string {
  return ['device_frmpayload_data', ...path].join('_');
}

/** InfluxDB line protocol: `name,tag=value field=value`. Tags without a value are omitted. */
function line(name: string, tags: Tags, values: Values): string {
  const pairs = Object.entries(tags)
    .map(([key, value]) => [escapeWord(key), escapeWord(String(value))])
    .filter(([key, value]) => key !== '' && value !== '');
  const tagTexts = pairs.map(([key, value]) => `${key}=${value}`).sort();
  const fields = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return `${[escapeWord(name, /[, ]/g), ...tagTexts].join(',')} ${fields.sort().join(',')}`;
}

/** A line break would end the line, and a backslash at the end would escape the next character. */
function escapeWord(text: string, special = /[,= ]/g): string {
  return text
    .replaceAll(/[\r\n]+/g, ' ')
    .replace(/\\+$/, '')
    .replaceAll(special, String.raw`\$&`);
}

function float(value: number): string {
  return value.toFixed(6);
}

function fieldText(value: Scalar): string {
  if (typeof value === 'number') return float(value);
  return typeof value === 'boolean' ? String(value) : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
