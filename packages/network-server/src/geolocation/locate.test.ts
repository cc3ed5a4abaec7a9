import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw, timestamp } from '@hilltop/protobuf';
import { seededRandom } from '@hilltop/simulator';
import type { Reception } from '../radio/uplink.ts';
import { locate } from './locate.ts';
import { type Coordinates, metresBetween, planeAround } from './plane.ts';

const town: Coordinates = { latitude: 52.1, longitude: 5.2, altitude: 40 };
const light = 299_792_458;
const second = Date.UTC(2026, 10, 21, 12);

interface Hearing {
  level?: number;
  /** Seconds after the second began; absent: no fine timestamp. */
  at?: number | undefined;
  snr?: number;
}

let gateways = 0;
function reception(position: Coordinates | null, { level = -100, at, snr = 5 }: Hearing = {}): Reception {
  const nanoseconds = Math.round((at ?? 0) * 1e9);
  const time = timestamp(second + Math.floor(nanoseconds / 1e6), nanoseconds % 1e6);
  gateways += 1;
  const rxInfo = create(gw.UplinkRXInfo, {
    rssi: Math.round(level),
    loRaSNR: snr,
    location: position ? { ...position } : undefined,
    ...(at !== undefined && { fineTimestampType: 'PLAIN', plainFineTimestamp: { time } }),
  });
  return { gatewayID: gateways.toString(16).padStart(16, '0'), rxInfo, gateway: null };
}

/** Returns random numbers around 0 with a variance of 1. */
const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A device among gateways some kilometres apart, received as in the model, with random errors. */
function scene(seed: number, { many = 4, timing = 0, shadow = 0, isTimed = true } = {}) {
  const random = seededRandom(seed);
  const plane = planeAround(town);
  const somewhere = (reach: number) =>
    plane.placeOf({ east: (2 * random() - 1) * reach, north: (2 * random() - 1) * reach }, 40);
  const device = somewhere(3000);
  const strength = -110 + 6 * normal(random);
  const receptions = Array.from({ length: many }, () => {
    const position = somewhere(6000);
    const metres = metresBetween(position, device);
    const level = strength - 35 * Math.log10(Math.max(metres, 50) / 1000) + shadow * normal(random);
    return reception(position, {
      level: Math.min(-20, level),
      at: isTimed ? 0.3 + (metres + timing * normal(random)) / light : undefined,
    });
  });
  return { device, receptions };
}

const errorOf = (found: ReturnType<typeof locate>, device: Coordinates) =>
  metresBetween({ ...device, altitude: 0 }, { ...found!, altitude: 0 });

describe('locating a device', () => {
  it('finds it by fine timestamps to a few metres without errors', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { device, receptions } = scene(seed, { many: 6 });
      const found = locate(receptions, 40);
      assert.equal(found?.source, 'GEO_RESOLVER_TDOA');
      assert.ok(errorOf(found, device) < 5, `seed ${seed}: ${errorOf(found, device)} m`);
      assert.equal(found.altitude, 40);
    }
  });

  for (const [by, options] of [
    ['times with echoes', { many: 5, timing: 30, shadow: 8 }],
    ['levels', { many: 4, shadow: 8, isTimed: false }],
    ['levels of three', { many: 3, shadow: 8, isTimed: false }],
  ] as const)
    it(`estimates its accuracy correctly by ${by}`, () => {
      const ratios = Array.from({ length: 200 }, (_, seed) => {
        const { device, receptions } = scene(seed + 1, options);
        const found = locate(receptions, 40)!;
        return errorOf(found, device) / found.accuracy;
      });
      const within = ratios.filter((ratio) => ratio <= 1).length / ratios.length;
      assert.ok(within > 0.6 && within < 0.9, `${within} lie within the accuracy`);
      assert.ok(ratios.filter((ratio) => ratio <= 3).length > 190);
    });

  it('needs three gateways with a known position', () => {
    const { receptions } = scene(1, { many: 3 });
    assert.equal(locate(receptions.slice(0, 2), 0), null);
    assert.equal(locate([...receptions.slice(0, 2), receptions[1]!], 0), null);
    assert.equal(locate([...receptions.slice(0, 2), reception(null)], 0), null);
    assert.equal(locate([...receptions.slice(0, 2), reception({ latitude: 0, longitude: 0, altitude: 0 })], 0), null);
    assert.ok(locate(receptions, 0));
  });

  it('ignores gateways on another continent, and clocks that do not fit', () => {
    const { device, receptions } = scene(3, { many: 4 });
    const liar = reception({ latitude: -33.9, longitude: 151.2, altitude: 0 }, { level: -60, at: 0.3 });
    assert.ok(errorOf(locate([...receptions, liar], 40), device) < 5);
    const [first, ...others] = receptions;
    const late = reception(first!.rxInfo.location as Coordinates, { level: first!.rxInfo.rssi, at: 0.8 });
    const found = locate([late, ...others], 40)!;
    assert.equal(found.source, 'GEO_RESOLVER_RSSI');
    assert.ok(errorOf(found, device) < 3 * found.accuracy);
  });

  it('returns finite numbers for gateways at one place, at the poles and across the date line', () => {
    for (const position of [
      town,
      { latitude: 90, longitude: 0, altitude: 0 },
      { latitude: -17, longitude: 180, altitude: 5 },
    ]) {
      const found = locate(
        [1, 2, 3].map((at) => reception(position, { at: at / 1e8 })),
        0,
      )!;
      assert.ok(Number.isFinite(found.latitude) && Number.isFinite(found.longitude));
      assert.ok(found.accuracy > 500, `${found.accuracy}`);
      assert.equal(found.source, 'GEO_RESOLVER_RSSI');
    }
  });
});
