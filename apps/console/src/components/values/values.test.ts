import { describe, expect, it } from 'vitest';
import { namesOfFields, valuesOf } from './values.ts';

describe('valuesOf', () => {
  it('names values by their path', () => {
    expect(valuesOf({ air: { temperature: 17.3, humidity: 56 }, isOpen: false }, 10)).toEqual([
      { name: 'air temperature', text: '17.3' },
      { name: 'air humidity', text: '56' },
      { name: 'isOpen', text: 'false' },
    ]);
  });

  it('omits the channel of Cayenne LPP when it is the only one', () => {
    expect(
      valuesOf({ temperatureSensor: { '1': 21.5 }, gps: { '1': { latitude: 52 }, '2': { latitude: 53 } } }, 9),
    ).toEqual([
      { name: 'temperatureSensor', text: '21.5 °C' },
      { name: 'gps 1 latitude', text: '52' },
      { name: 'gps 2 latitude', text: '53' },
    ]);
  });

  it('adds the unit when the codec names it', () => {
    expect(valuesOf({ air: { value: 17.3, unit: '°C' }, door: { value: 'open', unit: 7 } }, 9)).toEqual([
      { name: 'air', text: '17.3 °C' },
      { name: 'door value', text: 'open' },
      { name: 'door unit', text: '7' },
    ]);
    expect(valuesOf({ accelerometer: { '3': { x: 0.5 } }, temperatureSensor: 4 }, 9)).toEqual([
      { name: 'accelerometer x', text: '0.5 g' },
      { name: 'temperatureSensor', text: '4' },
    ]);
  });

  it('adds the unit from the codec', () => {
    const quantities = {
      'air.temp': { quantity: 'temperature', unit: '°F' },
      'temperatureSensor.1': { quantity: 'temperature', unit: 'K' },
      'soil.pH': { quantity: 'pH', unit: '' },
    };
    const object = { air: { temp: 70.5, other: 1 }, temperatureSensor: { '1': 294 }, soil: { pH: 7 }, toString: 1 };
    expect(valuesOf(object, 9, quantities)).toEqual([
      { name: 'air temp', text: '70.5 °F' },
      { name: 'air other', text: '1' },
      { name: 'temperatureSensor', text: '294 K' },
      { name: 'soil pH', text: '7' },
      { name: 'toString', text: '1' },
    ]);
  });

  it('returns at most the requested number, and nothing for a value that is not an object', () => {
    expect(valuesOf({ a: 1, b: 2, c: 3 }, 2)).toHaveLength(2);
    expect(valuesOf({ raw: [1, 2] }, 2)).toEqual([]);
    expect(valuesOf(null, 2)).toEqual([]);
  });

  it('rounds numbers to six digits, but not integers', () => {
    expect(valuesOf({ a: 0.1 + 0.2, b: 21.483920394, c: 1234567, d: 0.0001234567 }, 4).map(({ text }) => text)).toEqual(
      [...['0.3', '21.4839', '1234567', '0.000123457']],
    );
  });
});

describe('namesOfFields', () => {
  it('names fields as the values of an object are named', () => {
    const object = {
      air: { temp: 1 },
      temperatureSensor: { '1': 2 },
      gps: { '1': { lat: 3 }, '2': { lat: 4 } },
      '7': 5,
    };
    const fields = ['air.temp', 'temperatureSensor.1', 'gps.1.lat', 'gps.2.lat', '7'];
    const names = valuesOf(object, 9).map(({ name }) => name);
    expect([...namesOfFields(fields).values()].toSorted()).toEqual(names.toSorted());
  });
});
