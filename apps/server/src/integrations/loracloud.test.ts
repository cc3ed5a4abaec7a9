import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LoRaCloudIntegration } from '@hilltop/contract';
import { databases } from '../testing/databases.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { sampleIntegrations } from '../testing/integrations.ts';
import { loggedEvent, sampleRXInfo } from '../testing/logged-events.ts';
import { type Sink, startSink } from '../testing/sink.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { loracloud } from './loracloud.ts';

const eui = '0a-1b-2c-3d-4e-5f-60-71';
const time = '2023-03-01T10:15:30.123Z';
const timed = { ...sampleRXInfo, time };
const gateways = (count: number, change: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    ...timed,
    gatewayID: Buffer.from(`010203040506070${index}`, 'hex').toString('base64'),
    antenna: index,
    location: { latitude: index, longitude: 5, altitude: 1 },
    ...change,
  }));
const fine = (nanoseconds: string) => ({ plainFineTimestamp: { time: `2023-03-01T10:15:30.${nanoseconds}Z` } });

/** The services answer a message with this. */
const dasAnswer = (result: object, error = '') => ({ result: { [eui.toUpperCase()]: { result, error } } });

for (const kind of databases) {
  describe(`LoRa Cloud on ${kind}`, () => {
    let app: TestApp;
    let devEUI: string;
    before(async () => {
      app = await startTestApp(kind);
      devEUI = await createDevice(app, await createSurroundings(app));
    });
    after(() => app[Symbol.asyncDispose]());

    const config = (change: Partial<LoRaCloudIntegration>): LoRaCloudIntegration => ({
      applicationID: '7',
      ...sampleIntegrations.LORACLOUD,
      ...change,
    });
    /** What was asked, and what it caused. */
    async function deliver(
      event: ReturnType<typeof loggedEvent>,
      change: Partial<LoRaCloudIntegration>,
      ...answers: object[]
    ) {
      await using sink: Sink = await startSink();
      sink.reply = () => ({ status: 200, body: answers.shift() ?? {} });
      const job = sink.job(config(change));
      await loracloud(app.needs.database).deliver(event, job);
      const asked = sink.received.map(({ path, headers, body }) => ({
        path,
        host: headers.host,
        token: headers.authorization ?? headers['ocp-apim-subscription-key'],
        legacy: headers['ocp-apim-subscription-key'] !== undefined,
        body: body.toString(),
        json: JSON.parse(body.toString()) as Record<string, unknown>,
      }));
      return { asked, caused: job.caused };
    }

    it('passes any uplink on as recorded, by the time of a gateway', async () => {
      const { asked } = await deliver(loggedEvent('up', { rxInfo: [sampleRXInfo, timed] }), {}, dasAnswer({}));
      const [{ host, path, token, body }] = asked as [(typeof asked)[0]];
      assert.deepEqual([host, path, token], ['mgs.loracloud.com', '/api/v1/uplink/send', 'canary-loracloud-das']);
      assert.equal(
        body,
        `{"${eui}":{"msgtype":"updf","fcnt":42,"port":10,"dr":3,"freq":868300000,"timestamp":1677665730.123,"payload":""}}`,
      );
    });

    it('passes joins on, and makes no event of their answer', async () => {
      const { asked, caused } = await deliver(loggedEvent('join'), {}, dasAnswer({ file: null }));
      assert.deepEqual(asked[0]!.json, {
        [eui]: { msgtype: 'joining', timestamp: 1677665730.123, dr: 5, freq: 868100000 },
      });
      assert.deepEqual(caused, []);
    });

    it('passes messages of the modem and scans of satellites on', async () => {
      const modem = await deliver(loggedEvent('up', { fPort: 199, rxInfo: [timed] }), {}, dasAnswer({}));
      assert.deepEqual(modem.asked[0]!.json[eui], {
        ...{ msgtype: 'modem', payload: '00e1', fcnt: 42, timestamp: 1677665730.123, dr: 3, freq: 868300000 },
      });
      const far = { ...timed, loRaSNR: -5, location: { latitude: 1, longitude: 2, altitude: 3 } };
      const rxInfo = [far, { ...timed, timeSinceGPSEpoch: '1361700948.500s' }];
      const gnss = await deliver(loggedEvent('up', { fPort: 198, rxInfo }), { dasGNSSUseRxTime: true }, dasAnswer({}));
      assert.deepEqual(gnss.asked[0]!.json[eui], {
        ...{ msgtype: 'gnss', payload: '00e1', timestamp: 1677665730.123 },
        ...{ gnss_capture_time: 1361700942.5, gnss_capture_time_accuracy: 15 },
        ...{ gnss_assist_position: [52.1, 5.2], gnss_assist_altitude: 12 },
      });
      const bare = await deliver(loggedEvent('up', { fPort: 198, rxInfo: [] }), {}, dasAnswer({}));
      assert.deepEqual(bare.asked[0]!.json[eui], { msgtype: 'gnss', payload: '00e1', timestamp: 1677665730.123 });
    });

    it('causes an event, a downlink and a location out of an answer', async () => {
      const result = {
        file: null,
        dnlink: { port: 0, payload: '0102ff' },
        position_solution: { llh: [51.5, 7.25, 80.5], accuracy: 20.4, gdop: 2 },
      };
      const objectJSON = JSON.stringify(result);
      const up = loggedEvent('up', { fPort: 198 });
      const { caused } = await deliver(up, {}, dasAnswer(result));
      const location = { latitude: 51.5, longitude: 7.25, altitude: 80.5, source: 'GEO_RESOLVER_GNSS', accuracy: 20 };
      assert.deepEqual(caused, [
        { what: 'integration', integrationName: 'loracloud', eventType: 'DAS_UplinkResponse', objectJSON },
        { what: 'downlink', fPort: 150, data: Uint8Array.of(1, 2, 255) },
        { what: 'location', location, fCnt: 42, uplinkIDs: [], tags: {} },
      ]);
      const other = await deliver(loggedEvent('up'), {}, dasAnswer({ ...result, dnlink: { port: 7, payload: 'aa' } }));
      assert.equal((other.caused[1] as { fPort: number }).fPort, 7);
      assert.equal((other.caused[2] as { location: { source: string } }).location.source, 'UNKNOWN');
    });

    it('sends the scans in stream records back, when asked to', async () => {
      const records = [
        [0, '0602aabb' + '0701cc' + 'ff01dd'],
        [6, '0802eeff' + '0e0701020304050607'],
        [9, 'broken'],
        [12, '06ffaa'],
      ];
      const answers = () => [dasAnswer({ stream_records: records }), ...Array.from({ length: 4 }, () => dasAnswer({}))];
      const withIt = await deliver(loggedEvent('up'), { dasStreamingGeolocWorkaround: true }, ...answers());
      const assist = { gnss_assist_position: [52.1, 5.2], gnss_assist_altitude: 12 };
      const timestamp = 1677665730.123;
      assert.deepEqual(
        withIt.asked.slice(1).map(({ json }) => json[eui]),
        [
          { msgtype: 'gnss', payload: 'aabb', timestamp, ...assist },
          { msgtype: 'gnss', payload: 'cc', timestamp, ...assist },
          { msgtype: 'wifi', payload: '01eeff', timestamp },
          { msgtype: 'wifi', payload: '010607', timestamp },
        ],
      );
      assert.equal(withIt.caused.length, 5);
      const without = await deliver(loggedEvent('up'), {}, ...answers());
      assert.equal(without.asked.length, 1);
      const endless = [[0, '0600'.repeat(1000)]];
      const many = await deliver(
        loggedEvent('up'),
        { dasStreamingGeolocWorkaround: true },
        dasAnswer({ stream_records: endless }),
        ...Array.from({ length: 1000 }, () => dasAnswer({})),
      );
      assert.equal(many.asked.length, 17);
    });

    it('causes nothing when the message or the answer is not good', async () => {
      for (const [answer, about] of [
        [dasAnswer({}, 'no such device'), 'event'],
        [{ result: {} }, 'event'],
      ] as const)
        await assert.rejects(deliver(loggedEvent('up'), {}, answer), { about });
      await using sink = await startSink();
      for (const [status, body, about] of [
        [204, '', 'endpoint'],
        [200, 'no json', 'endpoint'],
        [401, '', 'endpoint'],
        [429, '', 'endpoint'],
        [400, '', 'event'],
      ] as const) {
        sink.reply = () => ({ status, body });
        const job = sink.job(config({}));
        await assert.rejects(loracloud(app.needs.database).deliver(loggedEvent('up'), job), { about });
        assert.deepEqual(job.caused, []);
      }
    });

    const noDAS = { das: false };
    const found = { result: { latitude: 1.5, longitude: 2.5, altitude: 3.5, accuracy: 4 }, errors: [], warnings: [] };
    const at = { latitude: 1.5, longitude: 2.5, altitude: 3.5, accuracy: 4 };
    const antenna = (index: number) => ({
      gatewayId: `010203040506070${index}`,
      rssi: -61,
      snr: 8.5,
      antennaId: index,
      antennaLocation: { latitude: index, longitude: 5, altitude: 1 },
    });

    it('asks nobody without resolver, token or gateways', async () => {
      const up = loggedEvent('up', { rxInfo: gateways(3) });
      for (const change of [{}, { geolocationRSSI: true, dasToken: '', geolocationToken: '' }])
        assert.deepEqual((await deliver(up, { ...noDAS, ...change }, found)).asked, []);
      const two = loggedEvent('up', { rxInfo: gateways(2) });
      assert.deepEqual((await deliver(two, { ...noDAS, geolocationRSSI: true }, found)).asked, []);
    });

    it('locates by satellites in the decoded object', async () => {
      const up = loggedEvent('up', { objectJSON: '{"scan":"qrs="}' });
      const gnss = {
        ...noDAS,
        geolocationGNSS: true,
        geolocationGNSSPayloadField: 'scan',
        geolocationGNSSUseRxTime: true,
      };
      const { asked, caused } = await deliver(up, gnss, { result: { llh: [1.5, 2.5, 3.5], accuracy: 4 } });
      assert.equal(asked[0]!.path, '/api/v1/solve/gnss_lr1110_singleframe');
      assert.deepEqual(asked[0]!.json, {
        payload: 'aabb',
        ...{ gnss_capture_time: 1361700942.123, gnss_capture_time_accuracy: 15 },
        ...{ gnss_assist_position: [52.1, 5.2], gnss_assist_altitude: 12 },
      });
      assert.deepEqual(caused, [
        {
          what: 'location',
          location: { ...at, source: 'GEO_RESOLVER_GNSS' },
          fCnt: 42,
          uplinkIDs: [],
          tags: { site: 'north' },
        },
      ]);
      const legacy = await deliver(up, { ...gnss, dasToken: '' }, { result: null });
      assert.equal(legacy.asked[0]!.path, '/api/v3/solve/gnss_lr1110_singleframe');
      assert.deepEqual([legacy.asked[0]!.legacy, legacy.asked[0]!.token], [true, 'canary-loracloud-geolocation']);
      assert.deepEqual(legacy.caused, []);
    });

    it('locates by access points in the decoded object', async () => {
      const object = { points: [{ macAddress: 'AQIDBAUG', signalStrength: -70 }] };
      const up = loggedEvent('up', { objectJSON: JSON.stringify(object), rxInfo: gateways(1) });
      const wifi = { ...noDAS, geolocationWifi: true, geolocationWifiPayloadField: 'points' };
      const { asked, caused } = await deliver(up, wifi, found);
      assert.equal(asked[0]!.path, '/api/v1/solve/loraWifi');
      assert.deepEqual(asked[0]!.json, {
        lorawan: [antenna(0)],
        wifiAccessPoints: [{ macAddress: '01:02:03:04:05:06', signalStrength: -70 }],
      });
      assert.equal((caused[0] as { location: { source: string } }).location.source, 'GEO_RESOLVER_WIFI');
      assert.equal((await deliver(up, { ...wifi, dasToken: '' }, found)).asked[0]!.path, '/api/v2/loraWifi');
    });

    it('asks no other resolver when a member is of another type than its own', async () => {
      const rxInfo = gateways(3);
      const all = {
        ...{ ...noDAS, geolocationRSSI: true, geolocationGNSS: true, geolocationWifi: true },
        ...{ geolocationGNSSPayloadField: 'scan', geolocationWifiPayloadField: 'points' },
      };
      for (const object of [{ scan: 5 }, { scan: '!' }, { points: 'x' }, { points: [{ macAddress: 1 }] }]) {
        const up = loggedEvent('up', { objectJSON: JSON.stringify(object), rxInfo });
        assert.deepEqual((await deliver(up, all, found)).asked, []);
      }
      assert.equal((await deliver(loggedEvent('up', { rxInfo }), all, found)).asked[0]!.path, '/api/v1/solve/rssi');
    });

    it('locates a single frame by time differences, or by signal strength', async () => {
      const rxInfo = gateways(3).map((one, index) => ({ ...one, ...fine(`00000000${index}`) }));
      const up = loggedEvent('up', { rxInfo });
      const both = { ...noDAS, geolocationTDOA: true, geolocationRSSI: true };
      const tdoa = await deliver(up, both, found);
      assert.equal(tdoa.asked[0]!.path, '/api/v1/solve/tdoa');
      assert.deepEqual(tdoa.asked[0]!.json, { lorawan: [0, 1, 2].map((index) => ({ ...antenna(index), toa: index })) });
      assert.deepEqual(tdoa.caused, [
        {
          what: 'location',
          location: { ...at, source: 'GEO_RESOLVER_TDOA' },
          fCnt: 0,
          uplinkIDs: [Uint8Array.fromHex('000102030405060708090a0b0c0d0e0f')],
          tags: { site: 'north' },
        },
      ]);
      const rssi = await deliver(loggedEvent('up', { rxInfo: gateways(3) }), { ...both, dasToken: '' }, found);
      assert.equal(rssi.asked[0]!.path, '/api/v2/rssi');
      assert.deepEqual(rssi.asked[0]!.json, { lorawan: [0, 1, 2].map(antenna) });
    });

    it('gathers the frames of a device until there are enough, once each, for as long as it should', async () => {
      const minutes = (count: number) => `2023-03-01T10:${String(count).padStart(2, '0')}:00Z`;
      const frame = (minute: number, id = minute) => ({
        ...loggedEvent('up', { rxInfo: gateways(3, { time: minutes(minute) }) }),
        id: `${devEUI}-${id}-0`,
        devEUI,
      });
      const many = { ...noDAS, geolocationRSSI: true, geolocationBufferTTL: 300, geolocationMinBufferSize: 2 };
      const framesOf = async (event: ReturnType<typeof frame>) => {
        const { asked } = await deliver(event, many, found);
        return asked.map(({ path, json }) => [path, (json['lorawan'] as object[]).length])[0];
      };
      assert.equal(await framesOf(frame(0)), undefined);
      assert.equal(await framesOf(frame(0)), undefined, 'the same once more');
      assert.deepEqual(await framesOf(frame(4)), ['/api/v1/solve/rssiMultiframe', 2]);
      assert.deepEqual(await framesOf(frame(5)), ['/api/v1/solve/rssiMultiframe', 3]);
      assert.deepEqual(await framesOf(frame(6)), ['/api/v1/solve/rssiMultiframe', 3]);
      assert.equal(await framesOf(frame(20)), undefined);
      for (let more = 0; more < 40; more += 1) await framesOf(frame(20, 100 + more));
      assert.deepEqual(await framesOf(frame(20, 200)), ['/api/v1/solve/rssiMultiframe', 30]);
      const gone = { ...frame(20, 300), devEUI: 'ffffffffffffffff' };
      assert.equal(await framesOf(gone), undefined, 'a device that was deleted has no frames');
    });
  });
}
