import { expect, it } from 'vitest';
import { availabilityText, availabilityTone, lengthText, shareText } from './availability-words.ts';

it('says how long something lasted in two units at most', () => {
  expect([90, 119.6, 1800, 3600, 12_000, 100_000, 864_000].map(lengthText)).toEqual([
    '90 s',
    '120 s',
    '30 min',
    '1 h',
    '3 h 20 min',
    '1 day 3 h',
    '10 days',
  ]);
});

it('rounds a share to all or nothing only when it is', () => {
  expect([1, 0.9999, 0.992, 0.0001, 0].map(shareText)).toEqual(['100 %', '99.9 %', '99.2 %', '0.1 %', '0 %']);
});

it('tells online, offline and stopped times apart', () => {
  const shares = (online: number, offline: number, stopped: number) => ({ online, offline, stopped });
  expect(
    [shares(60, 0, 0), shares(30, 30, 0), shares(0, 60, 0), shares(10, 10, 40), shares(0, 0, 0)].map(availabilityTone),
  ).toEqual(['online', 'part', 'offline', 'stopped', 'unknown']);
  expect(availabilityText(shares(3000, 600, 1200))).toBe(
    '83.3 % online, offline for 10 min, server stopped for 20 min',
  );
  expect(availabilityText(shares(0, 0, 0))).toBe('not known');
});
