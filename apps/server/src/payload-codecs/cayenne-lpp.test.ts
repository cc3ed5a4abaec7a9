import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeCayenneLpp, encodeCayenneLpp } from './cayenne-lpp.ts';

const vectors: [hex: string, object: object][] = [
  ['036701100567 00ff', { temperatureSensor: { 3: 27.2, 5: 25.5 } }],
  ['0667ffd7', { temperatureSensor: { 6: -4.1 } }],
  ['067104d2fb2e0000', { accelerometer: { 6: { x: 1.234, y: -1.234, z: 0 } } }],
  ['018806765ff2960a0003e8', { gpsLocation: { 1: { latitude: 42.3519, longitude: -87.9094, altitude: 10 } } }],
  [
    '000001 0a0100 0102fffe 020304d2',
    { digitalInput: { 0: 1 }, digitalOutput: { 10: 0 }, analogInput: { 1: -0.02 }, analogOutput: { 2: 12.34 } },
  ],
  ['0965ffff', { illuminanceSensor: { 9: 65535 } }],
  ['0a6601', { presenceSensor: { 10: 1 } }],
  ['016863', { humiditySensor: { 1: 49.5 } }],
  ['027328a5', { barometer: { 2: 1040.5 } }],
  ['0186000afff60064', { gyrometer: { 1: { x: 0.1, y: -0.1, z: 1 } } }],
  ['0164ffffffff', { genericSensor: { 1: 4294967295 } }],
  ['01740149 027505dc', { voltage: { 1: 3.29 }, current: { 2: 1.5 } }],
  ['01763345a2c0', { frequency: { 1: 860201664 } }],
  ['017864 0279fff6 037d0190', { percentage: { 1: 100 }, altitude: { 2: -10 }, concentration: { 3: 400 } }],
  ['0180ffff 0282000004d2 038300012345', { power: { 1: 65535 }, distance: { 2: 1.234 }, energy: { 3: 74.565 } }],
  ['01840167 0285ee6b2800', { direction: { 1: 359 }, unixTime: { 2: 4000000000 } }],
  ['0187ff8000 028e01', { colour: { 1: { r: 255, g: 128, b: 0 } }, switch: { 2: 1 } }],
];
describe('Cayenne LPP', () => {
  for (const [hex, object] of vectors) {
    const bytes = Uint8Array.fromHex(hex.replaceAll(' ', ''));
    it(`reads and writes ${hex}`, () => {
      assert.deepEqual(decodeCayenneLpp(bytes), { object, warnings: [] });
      assert.deepEqual(encodeCayenneLpp(object), bytes);
    });
  }

  it('reads nothing from an empty payload', () =>
    assert.deepEqual(decodeCayenneLpp(new Uint8Array()), { object: {}, warnings: [] }));

  it('keeps the values before an unknown type, with a warning', () => {
    const { object, warnings } = decodeCayenneLpp(Uint8Array.fromHex('03670110' + '04f0aabb'));
    assert.deepEqual(object, { temperatureSensor: { 3: 27.2 } });
    assert.match(warnings.join(), /unknown type 240 at byte 5/);
  });

  it('writes kinds in table order and channels ascending', () => {
    const object = { temperatureSensor: { 10: 1, 2: 2 }, digitalInput: { 7: 1 } };
    assert.equal(encodeCayenneLpp(object).toHex(), '070001' + '02670014' + '0a67000a');
  });

  for (const hex of ['01', '0105', '0167ff', '018806765f', '0167011002']) {
    it(`refuses ${hex}`, () => assert.throws(() => decodeCayenneLpp(Uint8Array.fromHex(hex)), { name: 'CodecError' }));
  }

  const wrong = [null, [], 'x', { other: { 1: 2 } }, { digitalInput: 4 }, { digitalInput: { 256: 1 } }];
  const unfit = [
    { digitalInput: { 1: 256 } },
    { temperatureSensor: { 1: 'warm' } },
    { gpsLocation: { 1: { latitude: 1 } } },
  ];
  for (const object of [...wrong, ...unfit]) {
    it(`refuses to write ${JSON.stringify(object)}`, () =>
      assert.throws(() => encodeCayenneLpp(object), { name: 'CodecError' }));
  }
});
