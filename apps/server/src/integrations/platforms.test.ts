/** Integrations that send only the parts of an event that their receiver knows, as in the recorded contract. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleIntegrations } from '../testing/integrations.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { sinkTime, startSink } from '../testing/sink.ts';
import { mydevices } from './mydevices.ts';
import { pilotThings } from './pilot-things.ts';
import { thingsboard } from './thingsboard.ts';

const applicationID = '7';

describe('ThingsBoard', () => {
  const config = { applicationID, server: 'https://board.example.org/' };
  const withToken = { variables: async () => ({ ThingsBoardAccessToken: 'a b' }) };
  const attributes =
    '{"application_id":"7","application_name":"greenhouse","dev_eui":"0a1b2c3d4e5f6071","device_name":"soil-1","site":"north"}';
  const telemetry = {
    up: '{"data_moisture":22.5,"dr":3,"fcnt":42,"fport":10,"rssi":-61,"snr":8.5}',
    status:
      '{"status_battery_level":75.59,"status_battery_level_unavailable":false,"status_external_power_source":false,"status_margin":9}',
    location: '{"location_altitude":0,"location_latitude":52.1,"location_longitude":5.2}',
  };

  for (const [type, text] of Object.entries(telemetry) as ['up', string][]) {
    it(`gets attributes, then telemetry, of ${type}`, async () => {
      await using sink = await startSink();
      await thingsboard.deliver(loggedEvent(type), sink.job(config, withToken));
      assert.deepEqual(
        sink.received.map(({ method, path, headers, body }) => [
          `${method} ${path} ${headers['content-type']}`,
          body.toString(),
        ]),
        [
          ['POST /api/v1/a%20b/attributes application/json', attributes],
          ['POST /api/v1/a%20b/telemetry application/json', text],
        ],
      );
    });

    it(`gets the time of a late ${type}`, async () => {
      await using sink = await startSink();
      const late = { ...withToken, now: () => new Date(sinkTime.getTime() + 60_000) };
      await thingsboard.deliver(loggedEvent(type), sink.job(config, late));
      assert.equal(sink.received[1]!.body.toString(), `{"ts":1677665730123,"values":${text}}`);
    });
  }

  it('gets nested values by their path, no lists, and a single value as data', async () => {
    await using sink = await startSink();
    for (const object of [{ a: { b: 'x', c: [1] }, d: false }, 5])
      await thingsboard.deliver(
        loggedEvent('up', { objectJSON: JSON.stringify(object), rxInfo: [] }),
        sink.job(config, withToken),
      );
    const rest = '"dr":3,"fcnt":42,"fport":10}';
    assert.equal(sink.received[1]!.body.toString(), `{"data_a_b":"x","data_d":false,${rest}`);
    assert.equal(sink.received[3]!.body.toString(), `{"data":5,${rest}`);
  });

  it('gets nothing from a device without a token', async () => {
    await using sink = await startSink();
    await thingsboard.deliver(loggedEvent('up'), sink.job(config));
    assert.deepEqual(sink.received, []);
  });

  it('gets telemetry after the attributes, and the attributes once', async () => {
    await using sink = await startSink();
    const job = sink.job(config, withToken);
    const statuses = [503, 200, 500, 200];
    sink.reply = () => ({ status: statuses[sink.received.length - 1]! });
    for (const _ of [1, 2]) await assert.rejects(thingsboard.deliver(loggedEvent('up'), job), { fault: 'endpoint' });
    await thingsboard.deliver(loggedEvent('up'), job);
    assert.deepEqual(
      sink.received.map(({ path }) => path.split('/').at(-1)),
      ['attributes', 'attributes', 'telemetry', 'telemetry'],
    );
  });

  it('blames the event for a wrong token of its device, and redacts the token', async () => {
    await using sink = await startSink();
    sink.reply = () => ({ status: 401 });
    const redacted: unknown[] = [];
    const job = sink.job(config, {
      variables: async () => ({ ThingsBoardAccessToken: 'canary' }),
      send: (request) => {
        redacted.push(request.redact);
        return sink.send(request);
      },
    });
    await assert.rejects(thingsboard.deliver(loggedEvent('up'), job), (error: Error & { fault?: string }) => {
      return error.fault === 'event' && !error.message.includes('canary');
    });
    assert.ok((redacted[0] as string[]).includes('canary'));
  });
});

describe('myDevices', () => {
  const config = { applicationID, ...sampleIntegrations.MYDEVICES };

  it('gets uplinks as recorded, with the same id for the same event', async () => {
    await using sink = await startSink();
    for (const _ of [1, 2]) await mydevices.deliver(loggedEvent('up'), sink.job(config));
    const [first, second] = sink.received.map(({ body }) => body.toString()) as [string, string];
    const { correlationID } = JSON.parse(first) as { correlationID: string };
    assert.match(correlationID, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(
      first,
      `{"correlationID":"${correlationID}","devEUI":"0a1b2c3d4e5f6071","data":"AOE=","fCnt":42,"fPort":10,"rxInfo":[{"gatewayID":"b827ebfffe112233","rssi":-61,"loRaSNR":8.5,"location":{"latitude":52.1,"longitude":5.2}}],"txInfo":{"frequency":868300000}}`,
    );
    assert.equal(second, first);
    assert.equal(sink.received[0]!.path, '/uplink');
  });

  it('gets null without gateways, and nothing without an application payload', async () => {
    await using sink = await startSink();
    await mydevices.deliver(loggedEvent('up', { fPort: 0 }), sink.job(config));
    await mydevices.deliver(loggedEvent('up', { rxInfo: [], data: null }), sink.job(config));
    assert.equal(sink.received.length, 1);
    assert.match(sink.received[0]!.body.toString(), /"data":null,.*"rxInfo":null/);
  });
});

describe('Pilot Things', () => {
  const config = { applicationID, ...sampleIntegrations.PILOT_THINGS, token: 'a&b' };

  it('gets uplinks as recorded', async () => {
    await using sink = await startSink();
    await pilotThings.deliver(loggedEvent('up'), sink.job(config));
    const [{ method, path, body }] = sink.received as [(typeof sink.received)[0]];
    assert.equal(`${method} ${path}`, 'POST /om2m/ipe-loraserver/up-link?token=a%26b');
    assert.equal(
      body.toString(),
      '{"deviceName":"soil-1","data":"00e1","devEUI":"0a1b2c3d4e5f6071","fPort":10,"devAddr":"01abcdef","fcnt":42,"metadata":[{"rssi":-61,"lorasnr":8.5,"rfchain":0,"antenna":0,"board":0}]}',
    );
  });

  it('resolves its path against the URL of the server, without the query', async () => {
    for (const [path, received] of [
      ['', '/om2m/ipe-loraserver/up-link?token=a%26b'],
      ['/', '/om2m/ipe-loraserver/up-link?token=a%26b'],
      ['/tenants/7/', '/tenants/7/om2m/ipe-loraserver/up-link?token=a%26b'],
      ['/tenants/7', '/tenants/om2m/ipe-loraserver/up-link?token=a%26b'],
      ['/tenants/7/?site=north#top', '/tenants/7/om2m/ipe-loraserver/up-link?token=a%26b'],
    ] as const) {
      await using sink = await startSink();
      await pilotThings.deliver(loggedEvent('up'), sink.job({ ...config, server: `https://pilot.example.org${path}` }));
      assert.deepEqual(
        sink.received.map((one) => one.path),
        [received],
        path,
      );
    }
  });

  it('reports the status of a refusal', async () => {
    await using sink = await startSink();
    sink.reply = () => ({ status: 403 });
    await assert.rejects(pilotThings.deliver(loggedEvent('up'), sink.job(config)), { fault: 'endpoint', status: 403 });
  });
});
