import { describe, expect, it } from 'vitest';
import { colorOf } from '../../theme/data-colors.ts';
import { chartColors, configOf, shade, tickLabel, timeLabel } from './chart-config.ts';
import { type TimeData, tableOf } from './chart-data.ts';

const labels = (values: number[]) => {
  const ticks = values.map((value) => ({ value }));
  return values.map((value) => tickLabel(value, ticks));
};

it('labels axis ticks with enough decimals to tell them apart', () => {
  expect(labels([0, 5, 10])).toEqual(['0', '5', '10']);
  expect(labels([7, 7.5, 8])).toEqual(['7.0', '7.5', '8.0']);
  expect(labels([9.44, 9.46, 9.48])).toEqual(['9.44', '9.46', '9.48']);
  expect(labels([-0.002, 0, 0.002])).toEqual(['-0.002', '0.000', '0.002']);
  expect(labels([0.30000000000000004, 0.4])).toEqual(['0.3', '0.4']);
  expect(labels([6])).toEqual(['6']);
});

it('labels days by day and month, hours by time of day and midnight by its date', () => {
  expect(timeLabel('2026-11-01', 'day')).toBe('1 Nov');
  expect(timeLabel('2026-11-21 14:00', 'hour')).toBe('14:00');
  expect(timeLabel('2026-11-21 00:00', 'hour')).toBe('21 Nov');
});

it('scales heatmap colours from zero, so that equal counts have equal colours', () => {
  const colors = chartColors.light;
  const heatmap = {
    kind: 'heatmap',
    per: 'day',
    times: ['2026-11-01', '2026-11-02'],
    categories: ['868.1 MHz'],
  } as const;
  const { data } = configOf({ ...heatmap, counts: [[50, 100]] }, colors);
  const { backgroundColor } = data.datasets[0] as unknown as { backgroundColor: (cell: object) => string };
  expect(backgroundColor({ raw: { v: 50 } })).toBe(shade(50, 0, 100, colors));
  expect(backgroundColor({ raw: { v: 50 } })).not.toBe(shade(0, 0, 1, colors));
});

describe('a day that is not over', () => {
  const over = { per: 'day', times: ['2026-11-01', '2026-11-02', '2026-11-03'], until: '10:03' } as const;
  const datasetsOf = (data: TimeData) => configOf(data, chartColors.light).data.datasets as unknown as Dataset[];

  it('is a bar beside a line of counts, so that the line does not drop', () => {
    const [line, bar] = datasetsOf({
      kind: 'line',
      ...over,
      fromZero: true,
      series: [{ name: 'uplink', values: [9, 8, 1] }],
    });
    expect(line).toMatchObject({ data: [9, 8, null] });
    expect(bar).toMatchObject({ type: 'bar', data: [null, null, 1] });
  });

  it('ends a line of means with a dashed segment', () => {
    const [line] = datasetsOf({
      kind: 'line',
      ...over,
      fromZero: false,
      series: [{ name: 'rssi', values: [-9, -8, -7] }],
    });
    const dashes = [1, 2].map((p1DataIndex) => line!.segment?.borderDash({ p1DataIndex }));
    expect(dashes).toEqual([undefined, [3, 3]]);
  });

  it('is hatched among stacked bars', () => {
    const [bars] = datasetsOf({
      kind: 'bars',
      ...over,
      series: [{ name: 'OTAA', color: '--data-2', values: [1, 2, 3] }],
    });
    const fillOf = (dataIndex: number) => bars!.backgroundColor({ chart: { ctx: canvas }, dataIndex });
    const orange = colorOf('--data-2', 'light');
    expect([fillOf(0), fillOf(1), fillOf(2)]).toEqual([orange, orange, 'hatched']);
  });

  it('is named with its time in tooltips and in the table', () => {
    const data = { kind: 'bars', ...over, series: [{ name: 'OTAA', values: [1, 2, 3] }] } as const;
    const { plugins } = configOf(data, chartColors.light).options as unknown as Options;
    expect(plugins.tooltip.callbacks.title([{ dataIndex: 2 }])).toBe('2026-11-03 (until 10:03)');
    expect(plugins.tooltip.callbacks.title([{ dataIndex: 1 }])).toBe('2026-11-02');
    expect(tableOf(data).rows[0]).toEqual(['2026-11-03 (until 10:03)', '3']);
  });
});

interface Dataset {
  data: (number | null)[];
  segment?: { borderDash: (place: { p1DataIndex: number }) => number[] | undefined };
  backgroundColor: (place: { chart: { ctx: unknown }; dataIndex: number }) => unknown;
}

interface Options {
  plugins: { tooltip: { callbacks: { title: (items: { dataIndex: number }[]) => string } } };
}

/** A canvas whose patterns are a word. */
const canvas = {
  canvas: { ownerDocument: { createElement: () => ({ getContext: () => brush }) } },
  createPattern: () => 'hatched',
};
const nothing = () => undefined;
const brush = { fillRect: nothing, beginPath: nothing, moveTo: nothing, lineTo: nothing, stroke: nothing };

it('recolours series with the colour scheme', () => {
  const data = {
    kind: 'line',
    per: 'day',
    times: ['2026-11-01'],
    fromZero: false,
    series: [{ name: 'snr', values: [1] }],
  } as const;
  const strokes = (['light', 'dark'] as const).map((scheme) => configOf(data, chartColors[scheme]).data.datasets[0]);
  expect(strokes.map((one) => one?.borderColor)).toEqual([colorOf('--data-1', 'light'), colorOf('--data-1', 'dark')]);
});
