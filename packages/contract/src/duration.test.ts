import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, parseDuration } from './duration.ts';

const readings: readonly (readonly [string, number | null])[] = [
  ['30s', 30_000],
  ['0', 0],
  ['1h0.5s', 3_600_500],
  ['1500ms', 1500],
  ['-2m', -120_000],
  ['.5s', 500],
  ['1us', 0.001],
  ['315576000000s', 315_576_000_000_000],
  ['315576000001s', null],
  ['30', null],
  ['', null],
  ['s', null],
  ['30s ', null],
  ['1d', null],
  ['1..5s', null],
];

describe('durations', () => {
  for (const [text, milliseconds] of readings) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(parseDuration(text), milliseconds));
  }

  const writings: readonly (readonly [number, string])[] = [
    [30_000, '30s'],
    [1500, '1.500s'],
    [0, '0s'],
    [-250, '-0.250s'],
    [0.001, '0.000001s'],
    [100.000000000001, '0.100s'],
    [86_400_000, '86400s'],
  ];
  for (const [milliseconds, text] of writings) {
    it(`writes ${milliseconds} ms`, () => assert.equal(formatDuration(milliseconds), text));
  }
});
