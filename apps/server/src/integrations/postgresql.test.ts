import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { enact } from '../events/effect.ts';
import type { EventType } from '../events/event.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { pendingEvent } from '../testing/event.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { loggedEvent, sampleRXInfo } from '../testing/logged-events.ts';
import { type Sink, startSink } from '../testing/sink.ts';
import { startTestApp } from '../testing/test-app.ts';
import { eventUUID } from './event-uuid.ts';
import { createMarshal } from './marshal.ts';
import { type PostgreSQLConfig, postgresql } from './postgresql.ts';

describe('the PostgreSQL adapter', { skip: !databases.includes('postgres') && 'no PostgreSQL' }, () => {
  let testStorage: TestStorage;
  let sink: Sink;
  let client: pg.Client;
  const kind = postgresql(createMarshal({ withEventID: false }));
  before(async () => {
    testStorage = await createTestStorage('postgres');
    sink = await startSink();
    client = new pg.Client({ connectionString: testStorage.databaseURL });
    await client.connect();
  });
  after(async () => {
    await kind.stop!();
    await client.end();
    await sink[Symbol.asyncDispose]();
    await testStorage[Symbol.asyncDispose]();
  });

  const job = (config: Partial<PostgreSQLConfig> = {}) =>
    sink.job<PostgreSQLConfig>({ url: testStorage.databaseURL!, marshaler: 'JSON', ...config });
  const rowsOf = async (table: string, columns: string) =>
    (await client.query<Record<string, unknown>>(`select ${columns} from ${table}`)).rows;
  /** An event with another id than the sample's. */
  const numbered = (type: EventType, seq: number, change: object = {}) => ({
    ...loggedEvent(type, change),
    id: `0a1b2c3d4e5f6071-1677665730125-${seq}`,
  });

  it('replaces only characters that PostgreSQL cannot store', async () => {
    const objectJSON = JSON.stringify({ 'k\u0000': 'a\u0000b\ud800', path: '\\u0000\\\\ud800', emoji: '\u{1f33b}' });
    await kind.deliver(numbered('up', 77, { objectJSON, deviceName: 'odd' }), job());
    await kind.deliver(numbered('error', 78, { error: 'no \u0000 here', deviceName: 'odd' }), job());
    const [{ object } = {}] = await rowsOf(`device_up where device_name = 'odd'`, 'object');
    assert.deepEqual(object, {
      'k\ufffd': 'a\ufffdb\ufffd',
      path: '\\u0000\\\\ud800',
      emoji: '\u{1f33b}',
    });
    assert.deepEqual(await rowsOf(`device_error where device_name = 'odd'`, 'error'), [{ error: 'no \ufffd here' }]);
    await client.query(`delete from device_up where device_name = 'odd'`);
    await client.query(`delete from device_error where device_name = 'odd'`);
  });

  it('writes a row per event into the table of its type, once', async () => {
    for (const type of ['up', 'status', 'join', 'ack', 'error', 'location', 'txack'] as const) {
      const event = loggedEvent(type);
      await kind.deliver(event, job());
      await kind.deliver(event, job());
      const [row, ...more] = await rowsOf(
        `device_${type}`,
        `id, received_at, encode(dev_eui, 'hex') as dev_eui, device_name, application_id, application_name, tags -> 'site' as site`,
      );
      assert.deepEqual(more, []);
      assert.deepEqual(row, {
        id: eventUUID(event.id),
        received_at: event.at,
        dev_eui: '0a1b2c3d4e5f6071',
        device_name: 'soil-1',
        application_id: '7',
        application_name: 'greenhouse',
        site: 'north',
      });
    }
    const only = async (table: string, columns: string) => (await rowsOf(table, columns))[0];
    const { rx_info, tx_info, ...up } = (await only(
      'device_up',
      `frequency, dr, adr, f_cnt, f_port, encode(data, 'hex') as data, rx_info, tx_info, object,
        encode(dev_addr, 'hex') as dev_addr, confirmed_uplink`,
    ))!;
    assert.deepEqual(up, {
      frequency: '868300000',
      dr: 3,
      adr: true,
      f_cnt: '42',
      f_port: 10,
      data: '00e1',
      object: { moisture: 22.5 },
      dev_addr: '01abcdef',
      confirmed_uplink: false,
    });
    const stored = JSON.parse(loggedEvent('up').json) as object;
    assert.deepEqual({ ...stored, rxInfo: rx_info, txInfo: tx_info }, stored);
    assert.deepEqual(
      await only('device_status', 'margin, external_power_source, battery_level_unavailable, battery_level'),
      { margin: 9, external_power_source: false, battery_level_unavailable: false, battery_level: '75.59' },
    );
    assert.deepEqual(await only('device_join', `encode(dev_addr, 'hex') as dev_addr`), { dev_addr: '01abcdef' });
    assert.deepEqual(await only('device_ack', 'acknowledged, f_cnt'), { acknowledged: true, f_cnt: '12' });
    assert.deepEqual(await only('device_error', 'type, error, f_cnt'), {
      type: 'UPLINK_CODEC',
      error: 'decoder failed',
      f_cnt: '43',
    });
    assert.deepEqual(await only('device_location', 'latitude, longitude, altitude, geohash, accuracy'), {
      latitude: 52.1,
      longitude: 5.2,
      altitude: 0,
      geohash: 'u178qkd82zcj',
      accuracy: 0,
    });
    assert.deepEqual(await only('device_txack', `encode(gateway_id, 'hex') as gateway_id, f_cnt`), {
      gateway_id: 'b827ebfffe112233',
      f_cnt: '12',
    });
  });

  it('writes all events of a batch or none', async () => {
    const events = Array.from({ length: 300 }, (_, seq) => numbered(seq % 2 === 0 ? 'up' : 'ack', 1000 + seq));
    const count = async () => Number((await rowsOf('device_up', 'count(*)'))[0]!['count']);
    const before = await count();
    const bad = numbered('error', 2000, { deviceName: 'longer than its column'.repeat(5) });
    await assert.rejects(kind.deliverBatch!.deliver([...events, bad], job()), { fault: 'event' });
    assert.equal(await count(), before);
    await kind.deliverBatch!.deliver([...events, loggedEvent('integration')], job());
    assert.equal(await count(), before + 150);
  });

  it('writes the time of the gateway, without an object, in the format of version 3', async () => {
    const time = '2023-03-01T10:15:29.5Z';
    const rxInfo = [{ ...sampleRXInfo, time }, sampleRXInfo];
    const event = numbered('up', 3000, { rxInfo, objectJSON: '', tags: {} });
    await kind.deliver(event, job({ marshaler: 'JSON_V3' }));
    const { rows } = await client.query<Record<string, unknown>>(
      `select received_at, object, akeys(tags) as tags, rx_info -> 0 ->> 'gatewayID' as gateway, tx_info ->> 'dr' as dr
       from device_up where id = $1`,
      [eventUUID(event.id)],
    );
    assert.deepEqual(rows, [
      { received_at: new Date(time), object: null, tags: [], gateway: 'b827ebfffe112233', dr: '3' },
    ]);
  });

  it('gets the events of all applications when configured by settings', async () => {
    await using app = await startTestApp('sqlite', { eventsPostgresURL: testStorage.databaseURL! });
    const { recorder, database } = app.parts;
    const devices = await Promise.all([1, 2].map(async () => createDevice(app, await createSurroundings(app))));
    for (const devEUI of devices) {
      const events = [pendingEvent('up', devEUI, { fCnt: 1 }), pendingEvent('ack', devEUI, { fCnt: 2 })];
      const effect = recorder.record({ about: 'a test', devEUI, at: new Date(), events });
      await database.commit({ run: () => enact(effect).then(() => true) });
    }
    const arrived = async () => {
      const sql = `select encode(dev_eui, 'hex') as of from device_up where dev_eui = any($1)
        union all select encode(dev_eui, 'hex') from device_ack where dev_eui = any($1)`;
      const { rows } = await client.query<{ of: string }>(sql, [devices.map((devEUI) => Buffer.from(devEUI, 'hex'))]);
      return rows.map((row) => row.of).sort();
    };
    while ((await arrived()).length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await arrived(), [...devices, ...devices].sort());
  });

  it('reports a database that is unavailable or does not exist', async () => {
    const away = job({ url: 'postgres://127.0.0.1:1/none' });
    await assert.rejects(kind.deliver(loggedEvent('up'), away), { fault: 'endpoint' });
    const none = Object.assign(new URL(testStorage.databaseURL!), { pathname: '/hilltop_none' }).href;
    await assert.rejects(kind.deliver(loggedEvent('up'), job({ url: none })), { fault: 'endpoint' });
  });
});
