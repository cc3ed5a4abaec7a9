import { expect, it } from 'vitest';
import { chartColors, configOf, shade, tickLabel, timeLabel } from './chart-config.ts';

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
