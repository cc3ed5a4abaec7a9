import type pg from 'pg';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { type EventJson, hexOf, objectOf, readEvent } from './event-json.ts';
import { eventUUID } from './event-uuid.ts';
import { geohash } from './geohash.ts';
import type { DeliveryJob, IntegrationAdapter } from './integration.ts';
import type { Marshal, Marshaler } from './marshal.ts';

export interface PostgreSQLConfig {
  /** `postgres://user:password@host/database` */
  url: string;
  /** The format of `rx_info` and `tx_info`. */
  marshaler: Marshaler;
}

/** Columns and their types, in the order of the table. Values arrive as JSON, bytes as hexadecimal digits. */
type Columns = Readonly<Record<string, string>>;

const commonColumns: Columns = {
  id: 'uuid primary key',
  received_at: 'timestamp with time zone not null',
  dev_eui: 'bytea not null',
  device_name: 'varchar(100) not null',
  application_id: 'bigint not null',
  application_name: 'varchar(100) not null',
  tags: 'hstore not null',
};

interface Table {
  readonly name: string;
  readonly columns: Columns;
}

const tables = {
  up: {
    name: 'device_up',
    columns: {
      frequency: 'bigint not null',
      dr: 'smallint not null',
      adr: 'boolean not null',
      f_cnt: 'bigint not null',
      f_port: 'smallint not null',
      data: 'bytea not null',
      rx_info: 'jsonb not null',
      tx_info: 'jsonb not null',
      object: 'jsonb',
      dev_addr: 'bytea',
      confirmed_uplink: 'boolean',
    },
  },
  status: {
    name: 'device_status',
    columns: {
      margin: 'smallint not null',
      external_power_source: 'boolean not null',
      battery_level_unavailable: 'boolean not null',
      battery_level: 'numeric(5, 2) not null',
    },
  },
  join: { name: 'device_join', columns: { dev_addr: 'bytea not null' } },
  ack: { name: 'device_ack', columns: { acknowledged: 'boolean not null', f_cnt: 'bigint not null' } },
  error: {
    name: 'device_error',
    columns: { type: 'varchar(100) not null', error: 'text not null', f_cnt: 'bigint not null' },
  },
  location: {
    name: 'device_location',
    columns: {
      latitude: 'double precision not null',
      longitude: 'double precision not null',
      altitude: 'double precision not null',
      geohash: 'varchar(12) not null',
      accuracy: 'smallint not null',
    },
  },
  txack: {
    name: 'device_txack',
    columns: { gateway_id: 'bytea not null', f_cnt: 'bigint not null', tx_info: 'jsonb not null' },
  },
} as const satisfies Record<string, Table>;

type StoredType = keyof typeof tables;
type Row = Readonly<Record<string, unknown>>;

/** Writes each event as a row. Its key derives from the id of the event, so that a repeated delivery adds no row. */
export function postgresql(marshal: Marshal): IntegrationAdapter<PostgreSQLConfig> {
  const pools = new Map<string, Promise<pg.Pool>>();

  async function open(url: string): Promise<pg.Pool> {
    const { default: library } = await import('pg');
    const pool = new library.Pool({
      connectionString: url,
      max: 4,
      connectionTimeoutMillis: 5000,
      query_timeout: 30_000,
      allowExitOnIdle: true,
    });
    pool.on('error', () => {});
    await pool.query(schema);
    return pool;
  }

  function poolOf(url: string): Promise<pg.Pool> {
    let pool = pools.get(url);
    if (!pool) {
      pool = open(url);
      pools.set(url, pool);
      pool.catch(() => pools.delete(url));
    }
    return pool;
  }

  async function write(pool: pg.Pool, rows: ReadonlyMap<StoredType, Row[]>): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      for (const [type, values] of rows) await client.query(statements[type], [storable(JSON.stringify(values))]);
      await client.query('commit');
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async function deliver(events: readonly LoggedEvent[], job: DeliveryJob<PostgreSQLConfig>): Promise<void> {
    const rows = new Map<StoredType, Row[]>();
    for (const event of events) {
      if (!isStored(event)) continue;
      const row = await rowOf(event, marshal, job);
      rows.set(event.type, [...(rows.get(event.type) ?? []), row]);
    }
    if (rows.size === 0) return;
    try {
      await write(await poolOf(job.config.url), rows);
    } catch (error) {
      throw toDeliveryError(error);
    }
  }

  return {
    eventTypes: Object.keys(tables) as StoredType[],
    deliver: (event, job) => deliver([event], job),
    deliverBatch: { maxEvents: 500, deliver },
    stop: async () => {
      const open = [...pools.values()];
      pools.clear();
      await Promise.allSettled(open.map(async (pool) => (await pool).end()));
    },
  };
}

/** The tables of version 3. Existing tables of a version-3 server are used as they are. */
const schema = [
  'create extension if not exists hstore',
  ...Object.values(tables).flatMap(({ name, columns }) => [
    `create table if not exists ${name} (${Object.entries({ ...commonColumns, ...columns })
      .map(([column, type]) => `${column} ${type}`)
      .join(', ')})`,
    ...['received_at', 'dev_eui', 'application_id'].map(
      (column) => `create index if not exists idx_${name}_${column} on ${name} (${column})`,
    ),
  ]),
].join('; ');

/** Each statement inserts the rows of one JSON text. */
const statements = Object.fromEntries(
  Object.entries(tables).map(([type, { name, columns }]) => {
    const all = Object.entries({ ...commonColumns, ...columns });
    const values = all.map(([column, declared]) => {
      if (declared.startsWith('bytea')) return `decode(${column}, 'hex')`;
      if (declared.startsWith('hstore'))
        return `coalesce((select hstore(array_agg(key), array_agg(value)) from jsonb_each_text(${column})), '')`;
      // Tables of a version-3 server accept no null in this column, but the null of JSON.
      return column === 'object' ? `coalesce(object, 'null')` : column;
    });
    const recordColumns = all.map(([column, declared]) => {
      if (declared.startsWith('bytea')) return `${column} text`;
      return `${column} ${declared.startsWith('hstore') ? 'jsonb' : declared.replace(/ (not null|primary key)/, '')}`;
    });
    return [
      type,
      `insert into ${name} (${all.map(([column]) => column).join(', ')}) select ${values.join(', ')} ` +
        `from jsonb_to_recordset($1::jsonb) as given(${recordColumns.join(', ')}) on conflict do nothing`,
    ];
  }),
) as Record<StoredType, string>;

/** Replaces characters from codecs and devices that PostgreSQL cannot store: U+0000 and halves of surrogate pairs. */
function storable(json: string): string {
  return json.replaceAll(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\ufffd');
}

function isStored(event: LoggedEvent): event is LoggedEvent & { type: StoredType } {
  return Object.hasOwn(tables, event.type);
}

async function rowOf(event: LoggedEvent, marshal: Marshal, job: DeliveryJob<PostgreSQLConfig>): Promise<Row> {
  const read = readEvent(event);
  const { payload } = read;
  const { applicationName, deviceName, tags } = payload;
  const rxInfo = 'rxInfo' in payload ? payload.rxInfo : [];
  const receivedAt = rxInfo.findLast(({ time }) => time !== null)?.time;
  return {
    id: eventUUID(event.id),
    received_at: receivedAt ?? event.at,
    dev_eui: event.devEUI,
    tags,
    device_name: deviceName,
    application_id: event.applicationID,
    application_name: applicationName,
    ...(await detailsOf(read, () => radioOf(event, marshal, job))),
  };
}

type Radio = { rxInfo?: unknown; txInfo?: unknown };

/** `rxInfo` and `txInfo` in the configured format; for protobuf in its JSON form. */
async function radioOf(event: LoggedEvent, marshal: Marshal, job: DeliveryJob<PostgreSQLConfig>): Promise<Radio> {
  const { marshaler } = job.config;
  const { body } = await marshal(event, marshaler === 'PROTOBUF' ? 'JSON' : marshaler, job);
  return JSON.parse(String(body)) as Radio;
}

async function detailsOf({ type, payload }: ReturnType<typeof readEvent>, radio: () => Promise<Radio>): Promise<Row> {
  switch (type) {
    case 'up':
      return upDetails(payload, await radio());
    case 'txack': {
      const { txInfo = {} } = await radio();
      return { gateway_id: hexOf(payload.gatewayID), f_cnt: payload.fCnt, tx_info: txInfo };
    }
    case 'status':
      return {
        margin: payload.margin,
        external_power_source: payload.externalPowerSource,
        battery_level_unavailable: payload.batteryLevelUnavailable,
        battery_level: payload.batteryLevel,
      };
    case 'join':
      return { dev_addr: hexOf(payload.devAddr) };
    case 'ack':
      return { acknowledged: payload.acknowledged, f_cnt: payload.fCnt };
    case 'error':
      return { type: payload.type, error: payload.error, f_cnt: payload.fCnt };
    case 'location': {
      const { latitude = 0, longitude = 0, altitude = 0 } = payload.location ?? {};
      return { latitude, longitude, altitude, geohash: geohash(latitude, longitude), accuracy: 0 };
    }
    case 'integration':
      return {};
  }
}

function upDetails(up: EventJson<'up'>, { rxInfo = [], txInfo = {} }: Radio): Row {
  return {
    frequency: up.txInfo?.frequency ?? 0,
    dr: up.dr,
    adr: up.adr,
    f_cnt: up.fCnt,
    f_port: up.fPort,
    data: hexOf(up.data),
    rx_info: rxInfo,
    tx_info: txInfo,
    object: objectOf(up) ?? null,
    dev_addr: hexOf(up.devAddr),
    confirmed_uplink: up.confirmedUplink,
  };
}

/** Errors of the classes 22 and 23 are the fault of the event: https://www.postgresql.org/docs/15/errcodes-appendix.html */
function toDeliveryError(error: unknown): DeliveryError {
  const { code, message } = error as { code?: string; message?: string };
  const isEventFault = code !== undefined && /^2[23].{3}$/.test(code);
  const fault = isEventFault ? 'event' : 'endpoint';
  return new DeliveryError(fault, `The database did not take it: ${message || code || 'the connection ended'}.`);
}
