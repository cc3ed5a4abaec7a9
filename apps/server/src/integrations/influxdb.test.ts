import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InfluxDBIntegration } from '@hilltop/contract';
import { sampleIntegrations } from '../testing/integrations.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { type Received, sinkTime, startSink } from '../testing/sink.ts';
import { influxdb } from './influxdb.ts';

const { deliver, deliverBatch, eventTypes } = influxdb;
const config = (change: Partial<InfluxDBIntegration> = {}): InfluxDBIntegration => ({
  applicationID: '7',
  ...sampleIntegrations.INFLUXDB,
  ...change,
});
const decoded = (object: unknown, change: object = {}) =>
  loggedEvent('up', { objectJSON: JSON.stringify(object), ...change });
const device = 'application_name=greenhouse,dev_eui=0a1b2c3d4e5f6071,device_name=soil-1';
const uplink = `device_uplink,${device},dr=3,frequency=868300000,site=north f_cnt=42i,rssi=-61i,snr=8.500000,value=1i`;

async function written(event: ReturnType<typeof loggedEvent>, change: Partial<InfluxDBIntegration> = {}) {
  await using sink = await startSink();
  await deliver(event, sink.job(config(change)));
  return sink.received[0] as Received;
}
const linesOf = async (...given: Parameters<typeof written>) => (await written(...given)).body.toString().split('\n');

describe('InfluxDB', () => {
  it('takes uplinks and status', () => assert.deepEqual(eventTypes, ['up', 'status']));

  it('writes an uplink as recorded', async () => {
    const event = decoded({ moisture: 22.5, pos: { latitude: 52.1, longitude: 5.2 } });
    assert.deepEqual(await linesOf(event), [
      `device_frmpayload_data_moisture,${device},f_port=10,site=north value=22.500000`,
      `device_frmpayload_data_pos_location,${device},f_port=10,site=north geohash="u178qkd82zcj",latitude=52.100000,longitude=5.200000`,
      uplink,
    ]);
  });

  it('writes numbers, texts, truths and places, and passes over lists', async () => {
    const object = { a: { b: 1, c: 'x "y" \\ z' }, d: true, e: [1, 2], f: null, Latitude: 1, LONGITUDE: -1 };
    const lines = await linesOf(decoded(object, { rxInfo: [], tags: {}, fPort: 2 }));
    assert.deepEqual(lines, [
      `device_frmpayload_data_LONGITUDE,${device},f_port=2 value=-1.000000`,
      `device_frmpayload_data_Latitude,${device},f_port=2 value=1.000000`,
      `device_frmpayload_data_a_b,${device},f_port=2 value=1.000000`,
      `device_frmpayload_data_a_c,${device},f_port=2 value="x \\"y\\" \\\\ z"`,
      `device_frmpayload_data_d,${device},f_port=2 value=true`,
      `device_frmpayload_data_location,${device},f_port=2 geohash="ebpm9npc6m9b",latitude=1.000000,longitude=-1.000000`,
      `device_uplink,${device},dr=3,frequency=868300000 f_cnt=42i,value=1i`,
    ]);
  });

  it('has no place at 0, 0', async () => {
    const lines = await linesOf(decoded({ latitude: 0, longitude: 0 }));
    assert.equal(lines.length, 1);
  });

  it('lets nothing that people fill in make another line, tag or field', async () => {
    const tags = { 'a b,c=d': 'e f,g=h', line: 'one\ntwo', end: 'back\\', empty: '' };
    const event = decoded({ 'x y,z\n': 1 }, { tags, deviceName: 'a,b c' });
    const [data, up, ...others] = await linesOf(event);
    const rest = String.raw`a\ b\,c\=d=e\ f\,g\=h,application_name=greenhouse,dev_eui=0a1b2c3d4e5f6071,device_name=a\,b\ c`;
    assert.equal(
      data,
      String.raw`device_frmpayload_data_x\ y\,z\ ,${rest},end=back,f_port=10,line=one\ two value=1.000000`,
    );
    assert.ok(up?.startsWith(String.raw`device_uplink,${rest},dr=3,end=back`));
    assert.deepEqual(others, []);
  });

  it('writes nothing for an uplink that nobody decoded', async () => {
    assert.equal(await written(loggedEvent('up', { objectJSON: '' })), undefined);
  });

  it('writes status as recorded, the battery only when it is known', async () => {
    const margin = `device_status_margin,${device},site=north value=9i`;
    assert.deepEqual(await linesOf(loggedEvent('status')), [
      `device_status_battery_level,${device},site=north value=75.590000`,
      margin,
    ]);
    assert.deepEqual(await linesOf(loggedEvent('status', { batteryLevelUnavailable: true })), [margin]);
    assert.deepEqual(await linesOf(loggedEvent('status', { externalPowerSource: true })), [margin]);
  });

  it('asks version 1 as recorded', async () => {
    const { method, path, headers } = await written(loggedEvent('status'), { db: 'a b', retentionPolicyName: 'week' });
    assert.deepEqual([method, path], ['POST', '/write?db=a+b&precision=ms&rp=week']);
    assert.equal(headers['content-type'], 'text/plain');
    const credentials = Buffer.from('writer:canary-influx-password').toString('base64');
    assert.equal(headers.authorization, `Basic ${credentials}`);
    const open = await written(loggedEvent('status'), { username: '', password: '' });
    assert.equal(open.headers.authorization, undefined);
    assert.equal(open.path, '/write?db=fields&precision=ms&rp=');
  });

  it('asks version 2 as recorded', async () => {
    const second = { version: 'INFLUXDB_2', organization: 'acme', bucket: 'fields' } as const;
    const { path, headers } = await written(loggedEvent('status'), second);
    assert.equal(path, '/write?bucket=fields&org=acme');
    assert.equal(headers.authorization, 'Token canary-influx-token');
  });

  const units = {
    NS: '1677665730123000000',
    U: '1677665730123000',
    MS: '1677665730123',
    S: '1677665730',
    M: '27961095',
    H: '466018',
  };
  for (const [precision, time] of Object.entries(units))
    it(`gives late lines their time, in ${precision}`, async () => {
      await using sink = await startSink();
      const late = { now: () => new Date(sinkTime.getTime() + 9000) };
      const given = config({ precision: precision as 'NS' });
      await deliver(loggedEvent('status'), sink.job(given, late));
      for (const line of sink.received[0]!.body.toString().split('\n')) assert.ok(line.endsWith(` ${time}`), line);
      await deliver(loggedEvent('status'), sink.job({ ...given, version: 'INFLUXDB_2' }, late));
      assert.match(sink.received[1]!.body.toString(), / 1677665730123000000$/);
    });

  it('gives each line its time where many events are written at once', async () => {
    await using sink = await startSink();
    const events = [1, 2].map((fCnt) => ({ ...decoded({ x: fCnt }, { fCnt }), at: new Date(1677665730000 + fCnt) }));
    await deliverBatch!.deliver([...events, loggedEvent('up', { objectJSON: '' })], sink.job(config()));
    const lines = sink.received[0]!.body.toString().split('\n');
    assert.deepEqual(
      lines.map((line) => line.split(' ').at(-1)),
      ['1677665730001', '1677665730001', '1677665730002', '1677665730002'],
    );
  });

  it('says of an object that is nested too deep what to do', async () => {
    let object: object = { value: 1 };
    for (let depth = 0; depth < 3000; depth += 1) object = { inner: object };
    const why = /nested more than 100 levels deep\. Let the codec/;
    await assert.rejects(written(decoded(object)), why);
  });

  it('blames the event for what InfluxDB cannot store', async () => {
    await using sink = await startSink();
    sink.reply = () => ({ status: 400, body: { error: 'field type conflict' } });
    await assert.rejects(deliver(loggedEvent('status'), sink.job(config())), { fault: 'event' });
  });
});
