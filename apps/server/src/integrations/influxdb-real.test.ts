/** Verifies the written lines with a real InfluxDB 1. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InfluxDBIntegration } from '@hilltop/contract';
import type { OutgoingRequest } from '../outgoing/outgoing-request.ts';
import { needsInfluxDB, startInfluxDB } from '../testing/influxdb.ts';
import { sampleIntegrations } from '../testing/integrations.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { startSink } from '../testing/sink.ts';
import { influxdb } from './influxdb.ts';

/** Sends the request without the checks of outgoing addresses. */
async function send({ url, method, headers, body }: OutgoingRequest) {
  const answer = await fetch(url, {
    method,
    headers: headers.map(([name, value]) => [name, value]),
    body: String(body),
  });
  return { status: answer.status, headers: {}, body: new Uint8Array(await answer.arrayBuffer()) };
}

describe('InfluxDB 1', needsInfluxDB, () => {
  it('stores written points with any configured text, and a late event at its time', async () => {
    await using database = await startInfluxDB(sampleIntegrations.INFLUXDB.password);
    await using sink = await startSink();
    const config: InfluxDBIntegration = {
      applicationID: '7',
      ...sampleIntegrations.INFLUXDB,
      endpoint: `${database.url}/write`,
    };
    const tags = { 'a b,c=d': 'e f,g=h', end: 'back\\', line: 'one\ntwo', empty: '' };
    const object = { temp: 21.5, text: 'x "y" \\ z', on: true, pos: { latitude: 52.1, longitude: 5.2 } };
    const event = loggedEvent('up', { tags, deviceName: 'soil 1,=', objectJSON: JSON.stringify(object) });
    await influxdb.deliver(event, sink.job(config, { send, now: () => new Date() }));
    const [temperature] = await database.query('select * from device_frmpayload_data_temp');
    assert.deepEqual(temperature, {
      time: 1677665730123,
      value: 21.5,
      device_name: 'soil 1,=',
      application_name: 'greenhouse',
      dev_eui: '0a1b2c3d4e5f6071',
      f_port: '10',
      'a b,c=d': 'e f,g=h',
      end: 'back',
      line: 'one two',
    });
    const [text] = await database.query('select value from device_frmpayload_data_text');
    assert.equal(text!['value'], 'x "y" \\ z');
    const [locationPoint] = await database.query('select geohash, latitude from device_frmpayload_data_pos_location');
    assert.deepEqual(locationPoint, { time: 1677665730123, geohash: 'u178qkd82zcj', latitude: 52.1 });
    const [uplink] = await database.query('select f_cnt, rssi, snr, value from device_uplink');
    assert.deepEqual(uplink, { time: 1677665730123, f_cnt: 42, rssi: -61, snr: 8.5, value: 1 });
  });

  it('stores the points of a batch separately, and a repeated event once', async () => {
    await using database = await startInfluxDB(sampleIntegrations.INFLUXDB.password);
    await using sink = await startSink();
    const config: InfluxDBIntegration = {
      applicationID: '7',
      ...sampleIntegrations.INFLUXDB,
      endpoint: `${database.url}/write`,
    };
    const events = [1, 2, 3].map((second) => ({
      ...loggedEvent('status'),
      at: new Date(1677665730000 + second * 1000),
    }));
    for (const _ of [1, 2]) await influxdb.deliverBatch!.deliver(events, sink.job(config, { send }));
    const [{ count } = {}] = await database.query('select count(value) from device_status_margin');
    assert.equal(count, 3);
  });

  it('refuses wrong credentials, and values of another type than before', async () => {
    await using database = await startInfluxDB(sampleIntegrations.INFLUXDB.password);
    await using sink = await startSink();
    const config: InfluxDBIntegration = {
      applicationID: '7',
      ...sampleIntegrations.INFLUXDB,
      endpoint: `${database.url}/write`,
    };
    const deliver = (object: object, change: Partial<InfluxDBIntegration> = {}) =>
      influxdb.deliver(
        loggedEvent('up', { objectJSON: JSON.stringify(object) }),
        sink.job({ ...config, ...change }, { send }),
      );
    await assert.rejects(deliver({ x: 1 }, { password: 'wrong' }), { fault: 'endpoint', status: 401 });
    await deliver({ x: 1 });
    await assert.rejects(deliver({ x: 'text' }), { fault: 'event', status: 400 });
    await assert.rejects(deliver({ x: 1 }, { db: 'none' }), { fault: 'endpoint', status: 404 });
  });
});
