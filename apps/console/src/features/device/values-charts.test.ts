import type { SeriesField } from '@hilltop/contract';
import { describe, expect, it } from 'vitest';
import { readAddress } from './values-address.ts';
import { chartsOf, decodedFields, usualOf } from './values-charts.ts';
import { csvOfCharts } from './values-file.ts';

const field = (name: string, more: Partial<SeriesField> = {}): SeriesField => ({
  ...{ field: name, kind: 'number', lastValue: 1, quantity: '', unit: '' },
  ...{ lastAt: '2026-11-27T00:00:00Z', since: '2026-11-01T00:00:00Z', ...more },
});
const point = (at: number, mean: number, min = mean, max = mean) => ({ at, mean, min, max, count: 1 });

describe('the charts of a device', () => {
  const fields = [
    ...Array.from({ length: 9 }, (_, index) => field(`v${index}`, { lastAt: `2026-11-2${index}T00:00:00Z` })),
    field('open', { kind: 'boolean', lastAt: '2026-11-30T00:00:00Z' }),
    ...['@rssi', '@dr', '@battery', '@uplinks'].map((own) => field(own)),
  ];

  it('are the 8 newest numbers at first, then what the network knows', () => {
    const decoded = decodedFields(fields);
    expect(decoded.map((one) => one.field)).toEqual(['v8', 'v7', 'v6', 'v5', 'v4', 'v3', 'v2', 'v1', 'v0', 'open']);
    const chosen = usualOf(decoded);
    const charts = chartsOf({ fields, chosen, devices: [{ devEUI: 'a', name: 'one' }] }, undefined);
    expect(charts.map(({ key }) => key)).toEqual([...chosen, '@rssi', '@dr', '@uplinks', '@battery']);
    expect(chosen).toEqual(['v8', 'v7', 'v6', 'v5', 'v4', 'v3', 'v2', 'v1']);
  });

  it('have a line for each compared device, and a file with the same figures', () => {
    const temperature = field('temperature', { quantity: 'temperature', unit: '°C' });
    const devices = [
      { devEUI: 'a', name: 'one' },
      { devEUI: 'b', name: '=two' },
    ];
    const values = {
      ...{ from: 0, to: 10, isComplete: true },
      devices: {
        a: { temperature: { points: [point(0, 20.5, 20, 21), point(10, 22)], stepMs: 10 } },
        b: { temperature: { points: [point(10, 5)], stepMs: 0 } },
      },
    };
    const charts = chartsOf({ fields: [temperature], chosen: ['temperature'], devices }, values);
    expect(charts[0]!.data!.lines.map(({ name, color, points }) => [name, color, points.length])).toEqual([
      ['one', '--data-1', 2],
      ['=two', '--data-2', 1],
    ]);
    const bars = charts[1]!.data!;
    expect([bars.kind, bars.lines.map(({ name }) => name)]).toEqual(['bars', ['Received', 'Lost']]);
    expect(csvOfCharts(charts.slice(0, 1)).split('\r\n')).toEqual([
      '\uFEFFtime,"temperature one (°C), mean","temperature one (°C), minimum","temperature one (°C), maximum",temperature =two (°C)',
      '1970-01-01T00:00:00.000Z,20.5,20,21,',
      '1970-01-01T00:00:00.010Z,22,22,22,5',
      '',
    ]);
  });
});

it('the address keeps fields with any name, valid times, and at most four devices', () => {
  const euis = Array.from({ length: 6 }, (_, index) => `000000000000000${index}`);
  expect(
    readAddress({
      range: '30d',
      fields: 'a%2Cb,c',
      with: ['x', ...euis].join(','),
      from: '2026-11-02',
      to: '2026-11-01',
    }),
  ).toEqual({ range: '30d', between: undefined, fields: ['a,b', 'c'], compared: euis.slice(0, 4) });
  expect(readAddress({ range: 'x', from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' })).toEqual({
    ...{ range: '7d', fields: undefined, compared: [] },
    between: { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2) },
  });
});
