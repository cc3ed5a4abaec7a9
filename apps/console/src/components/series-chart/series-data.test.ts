import { describe, expect, it } from 'vitest';
import { gapsOf, nearestTo, pointsOf, sumsOf, timeTicks, valueText } from './series-data.ts';

const hour = 3_600_000;
const at = (...times: number[]) => times.map((one) => ({ at: one, mean: 1, min: 1, max: 1, count: 1 }));

describe('a line', () => {
  it('breaks where nothing was received for more than three usual pauses', () => {
    expect([...gapsOf(at(0, 10, 20, 30, 60, 70, 101), 0)]).toEqual([6]);
    expect([...gapsOf(at(0, 10, 20, 30, 61), 20)]).toEqual([]);
    expect([...gapsOf(at(0), 0)]).toEqual([]);
  });

  it('has the value nearest to the cross-hair, none in a gap', () => {
    const line = { name: '', color: '--data-1', stepMs: 0, points: at(0, 100, 200, 1000) } as const;
    expect(nearestTo(line, 140, 1000)?.at).toBe(100);
    expect(nearestTo(line, 160, 1000)?.at).toBe(200);
    expect(nearestTo(line, 600, 1000)).toBeUndefined();
    expect(nearestTo({ ...line, points: [] }, 1, 1000)).toBeUndefined();
  });
});

it('sums count values in all steps of a range, also in those without any', () => {
  const counted = pointsOf({
    field: '@lost',
    at: [0, 2 * hour],
    count: [3, 2],
    mean: [2, 0.5],
    min: [1, 0],
    max: [3, 1],
  });
  const sums = sumsOf(counted, { from: 10, to: 3 * hour, stepMs: hour });
  expect(sums.map((one) => [one.at / hour, one.mean])).toEqual([
    [0, 6],
    [1, 0],
    [2, 1],
    [3, 0],
  ]);
});

it('a time axis is labelled at whole hours and days', () => {
  const midnight = new Date(2026, 10, 21).getTime();
  expect(timeTicks(midnight + 1, midnight + 24 * hour, 8).map((one) => (one - midnight) / hour)).toEqual([
    3, 6, 9, 12, 15, 18, 21, 24,
  ]);
  const days = timeTicks(midnight, midnight + 89 * 24 * hour, 10);
  expect(days.length).toBeLessThanOrEqual(10);
  for (const day of days) expect(new Date(day).getHours()).toBe(0);
});

it('values are rounded to what they mean', () => {
  expect([valueText(21.400000000000002, '°C'), valueText(-0.12345, ''), valueText(123_456.78, 'L')]).toEqual([
    '21.4 °C',
    '-0.1235',
    '123456.8 L',
  ]);
  expect([valueText(0.4675, 'dB'), valueText(-116.47, 'dBm')]).toEqual(['0.5 dB', '-116.5 dBm']);
});
