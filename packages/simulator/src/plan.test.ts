import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDeviceFile } from './device-file.ts';
import { planNetwork } from './plan.ts';
import { distanceKm } from './radio.ts';
import { seededRandom } from './random.ts';
import { sensorKinds } from './sensors/sensors.ts';

describe('planNetwork', () => {
  const plan = planNetwork({ gateways: 25, devices: 200, random: seededRandom(1) });

  it('plans the requested numbers, with unique identifiers', () => {
    assert.deepEqual([plan.gateways.length, plan.devices.length, plan.region], [25, 200, 'EU868']);
    assert.equal(new Set(plan.gateways.map(({ gatewayID }) => gatewayID)).size, 25);
    assert.equal(new Set(plan.gateways.map(({ name }) => name)).size, 25);
    assert.equal(new Set(plan.devices.map(({ devEUI }) => devEUI)).size, 200);
    assert.equal(new Set(plan.devices.map(({ nwkKey }) => nwkKey)).size, 200);
    assert.equal(new Set(plan.devices.map(({ name }) => name)).size, 200);
  });

  it('mixes sensors, versions and weak links, and gives one device a wrong key', () => {
    const { devices } = plan;
    assert.equal(new Set(devices.map(({ sensor }) => sensor)).size, sensorKinds.length);
    assert.equal(devices.filter(({ wrongKey }) => wrongKey).length, 1);
    assert.ok(devices.some(({ lossDb = 0 }) => lossDb > 0));
    assert.ok(devices.some(({ confirmedShare = 0 }) => confirmedShare > 0));
    assert.equal(devices.filter(({ macVersion }) => macVersion === '1.1.0').length, 50);
    for (const { macVersion, appKey } of devices) assert.equal(appKey !== undefined, macVersion === '1.1.0');
  });

  it('puts all devices of class C into one group', () => {
    const lights = plan.devices.filter(({ classC }) => classC);
    assert.ok(lights.length > 20 && lights.every(({ sensor }) => sensor === 'street-light'));
    assert.deepEqual(new Set(lights.map(({ groups }) => groups?.[0]?.mcAddr)).size, 1);
    assert.deepEqual([lights[0]!.groups![0]!.frequency, lights[0]!.groups![0]!.dr], [869_525_000, 0]);
    assert.ok(plan.devices.every(({ classC, groups }) => (classC === true) === (groups !== undefined)));
  });

  it('places every device near a gateway', () => {
    for (const device of plan.devices) {
      const position = { latitude: device.latitude!, longitude: device.longitude! };
      const nearest = Math.min(...plan.gateways.map((gateway) => distanceKm(position, gateway)));
      assert.ok(nearest < 1.9, `${device.name} is ${nearest} km away`);
    }
  });

  it('is the same for the same seed', () => {
    assert.deepEqual(planNetwork({ gateways: 25, devices: 200, random: seededRandom(1) }), plan);
  });

  it('refuses a region that does not exist', () => {
    assert.throws(
      () => planNetwork({ gateways: 1, devices: 1, random: Math.random, region: 'MOON' }),
      /no region "MOON"/,
    );
  });

  it('is unchanged when read back from a file', () => {
    assert.deepEqual(readDeviceFile(JSON.stringify(plan)), plan);
  });
});

describe('readDeviceFile', () => {
  const good = { devEUI: '0a1b2c3d4e5f6071', nwkKey: '11'.repeat(16) };

  it('reads a plain list and adds defaults', () => {
    assert.deepEqual(readDeviceFile(JSON.stringify([good])), {
      devices: [
        { ...good, joinEUI: '0000000000000000', macVersion: '1.0.3', name: good.devEUI, sensor: sensorKinds[0]?.name },
      ],
    });
  });

  const refused: [string, unknown, RegExp][] = [
    ['no list', 7, /no list of devices/],
    ['a short DevEUI', [{ ...good, devEUI: '0a1b' }], /^Error: Device 1: devEUI/],
    ['a bad JoinEUI', [{ ...good, joinEUI: 'x'.repeat(16) }], /Device 0a1b2c3d4e5f6071: joinEUI/],
    ['no key', [{ devEUI: good.devEUI }], /nwkKey must be 32 hex digits/],
    ['a bad AppKey', [{ ...good, appKey: '11' }], /appKey/],
    ['half a session', [{ devEUI: good.devEUI, session: { devAddr: '26012345' } }], /session needs devAddr/],
    ['an unknown sensor', [{ ...good, sensor: 'toaster' }], /sensor must be one of climate/],
    ['a bad gateway', { gateways: [{ gatewayID: '1' }], devices: [] }, /^Error: Gateway 1: gatewayID/],
    ['a gateway nowhere', { gateways: [{ gatewayID: good.devEUI }], devices: [] }, /latitude and longitude/],
  ];
  for (const [what, json, text] of refused) {
    it(`refuses ${what}`, () => assert.throws(() => readDeviceFile(JSON.stringify(json)), text));
  }

  it('refuses what is not JSON', () => assert.throws(() => readDeviceFile('{'), /not JSON/));
});
