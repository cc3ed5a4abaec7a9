import { describe, expect, it } from 'vitest';
import { valuesOf } from './values.ts';

describe('valuesOf', () => {
  it('names values by the way to them', () => {
    expect(valuesOf({ air: { temperature: 17.3, humidity: 56 }, isOpen: false }, 10)).toEqual([
      { name: 'air temperature', text: '17.3' },
      { name: 'air humidity', text: '56' },
      { name: 'isOpen', text: 'false' },
    ]);
  });

  it('leaves out the channel of Cayenne LPP where it is the only one', () => {
    expect(
      valuesOf({ temperatureSensor: { '1': 21.5 }, gps: { '1': { latitude: 52 }, '2': { latitude: 53 } } }, 9),
    ).toEqual([
      { name: 'temperatureSensor', text: '21.5' },
      { name: 'gps 1 latitude', text: '52' },
      { name: 'gps 2 latitude', text: '53' },
    ]);
  });

  it('takes no more than asked for, and nothing from what is no object', () => {
    expect(valuesOf({ a: 1, b: 2, c: 3 }, 2)).toHaveLength(2);
    expect(valuesOf({ raw: [1, 2] }, 2)).toEqual([]);
    expect(valuesOf(null, 2)).toEqual([]);
  });

  it('does not show the noise of arithmetic', () => {
    expect(valuesOf({ a: 0.1 + 0.2 }, 1)).toEqual([{ name: 'a', text: '0.3' }]);
  });
});
