import { seriesPoints } from '@hilltop/contract';
import { expect, it } from 'vitest';
import { lossWords } from '../loss-words.ts';
import {
  columnsOf,
  daysReceived,
  hourlyPoints,
  stripDays,
  stripStartMs,
  totalOf,
  usualGapMs,
} from './strip-columns.ts';
import { durationText, lostText } from './timeline-overview.tsx';

const hourMs = 3_600_000;
const nowMs = Date.parse('2026-11-21T10:20:00Z');
const beginMs = new Date(nowMs).setMinutes(0, 0, 0);

it('sums counters per hour and per day, whatever the step of the series', () => {
  const series = [
    { field: '@uplinks', at: [beginMs - hourMs, beginMs - hourMs + 5, beginMs + 1], count: [1, 1, 4], mean: [1, 1, 1] },
    { field: '@lost', at: [beginMs], count: [2], mean: [1.5] },
    { field: '@stopped', at: [beginMs], count: [1], mean: [2] },
  ];
  const hours = columnsOf(series, 1, nowMs);
  expect(hours).toHaveLength(24);
  expect(hours.slice(-2).map(({ uplinks, lost }) => [uplinks, lost])).toEqual([
    [2, 0],
    [4, 5],
  ]);
  expect(hours.at(-1)?.toMs).toBe(nowMs);
  const days = columnsOf(series, 30, nowMs);
  expect([days.length, days.reduce((sum, { uplinks }) => sum + uplinks, 0)]).toEqual([30, 6]);
  expect(daysReceived(series, nowMs)).toBe(1);
  expect(daysReceived(series, beginMs + 47 * hourMs)).toBe(2);
  expect([totalOf(series, '@uplinks'), totalOf(series, '@lost'), totalOf(series, '@joins')]).toEqual([6, 3, 0]);
});

it('asks for steps of one hour at any time of the day, so that no step reaches into the next column', () => {
  const dayBeginsMs = new Date(nowMs).setHours(0, 0, 0, 0);
  for (const days of stripDays)
    for (let endMs = dayBeginsMs; endMs < dayBeginsMs + 24 * hourMs; endMs += hourMs / 4) {
      const startMs = stripStartMs(days, endMs);
      const points = hourlyPoints(startMs, endMs);
      // The server takes the shortest step that is at least this long.
      const neededMs = (endMs - startMs) / (points - 1);
      expect(neededMs).toBeLessThanOrEqual(hourMs);
      expect(neededMs).toBeGreaterThan(hourMs / 2);
      expect(points).toBeLessThanOrEqual(seriesPoints.most);
    }
});

it('takes the median gap, and says durations and losses shortly', () => {
  expect(usualGapMs([0, 600_000])).toBeUndefined();
  expect(usualGapMs([600_000, 0, 1_200_000, 9_000_000])).toBe(600_000);
  expect([durationText(45_000), durationText(600_000), durationText(3 * hourMs)]).toEqual(['45 s', '10 min', '3.0 h']);
  expect(lostText({ uplinks: 99, lost: 1, stopped: 18 })).toBe('1 (1.0 %), and 18 while the server was stopped');
  expect(lostText({ uplinks: 9, lost: 0, stopped: 0 })).toBe('0');
});

it('says what is missing before an uplink', () => {
  const words = (note: object) => lossWords(44, note);
  expect(words({ lost: 3 })).toBe('3 uplinks lost, FCnt 41 to 43');
  expect(words({ lost: 1, lostWhileStopped: 1 })).toBe('1 uplink lost, FCnt 43, 1 while the server was stopped');
  expect(words({ counterJump: 5000 })).toBe('The frame-counter jumped over 5000 values');
  expect(words({ counterReset: true })).toBe('The device counts anew in the same session');
  expect(words({})).toBeUndefined();
});
