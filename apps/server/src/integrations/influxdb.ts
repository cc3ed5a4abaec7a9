import type { InfluxDBIntegration } from '@hilltop/contract';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { leavesOf, locationsOf, type Scalar } from './decoded-object.ts';
import { bestReception, type EventJson, hexOf, objectOf, readEvent } from './event-json.ts';
import { encodeForm } from './form-encoding.ts';
import { geohash } from './geohash.ts';
import type { DeliveryJob, IntegrationAdapter } from './integration.ts';
import { isLate } from './late.ts';
import { expectSuccess } from './outcome.ts';

/** How many nanoseconds the unit of a time is. */
const nanoseconds = { NS: 1n, U: 1000n, MS: 1_000_000n, S: 10n ** 9n, M: 60n * 10n ** 9n, H: 3600n * 10n ** 9n };

/** Writes decoded values and device status as points of a time series. */
export const influxdb: IntegrationAdapter<InfluxDBIntegration> = {
  eventTypes: ['up', 'status'],
  deliver: (event, job) => write(linesOf(event, isLate(event, job.now()) ? timeOf(event, job.config) : undefined), job),
  deliverBatch: {
    maxEvents: 100,
    // Points of one series with one time are one point: here each has its own.
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

/** In the unit of the database; version 2 is not told of another one than its own. */
function timeOf({ at }: LoggedEvent, { version, precision }: InfluxDBIntegration): string {
  const unit = nanoseconds[version === 'INFLUXDB_2' ? 'NS' : precision];
  return String((BigInt(at.getTime()) * 1_000_000n) / unit);
}

type Tags = Readonly<Record<string, string | number>>;
type Values = Readonly<Record<string, string>>;

function linesOf(event: LoggedEvent, time: string | undefined): string[] {
  const read = readEvent(event);
  const lines = read.type === 'up' ? ofUplink(read.payload) : read.type === 'status' ? ofStatus(read.payload) : [];
  return lines.map((line) => (time === undefined ? line : `${line} ${time}`)).sort();
}

function ofUplink(up: EventJson<'up'>): string[] {
  const object = objectOf(up);
  if (object === undefined) return [];
  const best = bestReception(up.rxInfo);
  const device = deviceTags(up);
  const ofPort = { ...device, f_port: up.fPort };
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
      .map(({ path, value }) => line(measurement(path), ofPort, { value: written(value) })),
    ...locationsOf(object).map(({ path, latitude, longitude }) =>
      line(`${measurement(path)}_location`, ofPort, {
        latitude: float(latitude),
        longitude: float(longitude),
        geohash: written(geohash(latitude, longitude)),
      }),
    ),
  ];
}

function ofStatus(status: EventJson<'status'>): string[] {
  const tags = deviceTags(status);
  const isKnown = !status.batteryLevelUnavailable && !status.externalPowerSource;
  return [
    ...(isKnown ? [line('device_status_battery_level', tags, { value: float(status.batteryLevel) })] : []),
    line('device_status_margin', tags, { value: `${status.margin}i` }),
  ];
}

function deviceTags({ applicationName, deviceName, devEUI, tags }: EventJson<'up'> | EventJson<'status'>): Tags {
  return { ...tags, application_name: applicationName, device_name: deviceName, dev_eui: hexOf(devEUI) };
}

function measurement(path: readonly string[]): string {
  return ['device_frmpayload_data', ...path].join('_');
}

/** InfluxDB line protocol: `name,tag=value field=value`. What has no value is no tag. */
function line(name: string, tags: Tags, values: Values): string {
  const given = Object.entries(tags)
    .map(([key, value]) => [word(key), word(String(value))])
    .filter(([key, value]) => key !== '' && value !== '');
  const parts = given.map(([key, value]) => `${key}=${value}`).sort();
  const fields = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return `${[word(name, /[, ]/g), ...parts].join(',')} ${fields.sort().join(',')}`;
}

/** Line breaks end a line wherever they are, and a backslash at the end would escape what comes next. */
function word(text: string, special = /[,= ]/g): string {
  return text
    .replaceAll(/[\r\n]+/g, ' ')
    .replace(/\\+$/, '')
    .replaceAll(special, String.raw`\$&`);
}

function float(value: number): string {
  return value.toFixed(6);
}

function written(value: Scalar): string {
  if (typeof value === 'number') return float(value);
  return typeof value === 'boolean' ? String(value) : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
