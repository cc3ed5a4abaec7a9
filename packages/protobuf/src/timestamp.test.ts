import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, parseDuration } from './duration.ts';
import { formatTimestamp, parseTimestamp, timestamp } from './timestamp.ts';

describe('timestamps', () => {
  const second = Date.UTC(2023, 2, 1, 10, 15, 30);
  const texts: [string, number, number][] = [
    ['2023-03-01T10:15:30Z', second, 0],
    ['2023-03-01T10:15:30.120Z', second + 120, 0],
    ['2023-03-01T10:15:30.123456Z', second + 123, 456_000],
    ['2023-03-01T10:15:30.123456789Z', second + 123, 456_789],
    ['2023-03-01T10:15:30.000000001Z', second, 1],
  ];
  for (const [text, ms, nanoseconds] of texts) {
    it(`${text} both ways`, () => {
      assert.equal(formatTimestamp(timestamp(ms, nanoseconds)), text);
      assert.deepEqual(parseTimestamp(text), timestamp(ms, nanoseconds));
    });
  }

  it('formats times correctly in any order', () => {
    const texts = [0, 1, 1000, -1, -1000, 999, 8000, 0].map((ms) => formatTimestamp(timestamp(second + ms)));
    assert.deepEqual(texts, [
      '2023-03-01T10:15:30Z',
      '2023-03-01T10:15:30.001Z',
      '2023-03-01T10:15:31Z',
      '2023-03-01T10:15:29.999Z',
      '2023-03-01T10:15:29Z',
      '2023-03-01T10:15:30.999Z',
      '2023-03-01T10:15:38Z',
      '2023-03-01T10:15:30Z',
    ]);
    for (const text of [...texts, ...texts]) assert.equal(formatTimestamp(parseTimestamp(text)!), text);
    for (const zone of ['Z', '+01:00', 'Z'])
      assert.equal(parseTimestamp(`2023-03-01T10:15:30${zone}`)?.getTime(), second - (zone === 'Z' ? 0 : 3_600_000));
  });

  it('writes times before 1970 and after 9999, and no invalid time', () => {
    assert.equal(formatTimestamp(new Date(-1)), '1969-12-31T23:59:59.999Z');
    assert.equal(formatTimestamp(timestamp(-1, 5)), '1969-12-31T23:59:59.999000005Z');
    assert.equal(formatTimestamp(new Date(253_402_300_800_000)), '+010000-01-01T00:00:00Z');
    assert.throws(() => formatTimestamp(new Date(Number.NaN)), RangeError);
  });

  it('reads time zones and refuses invalid times', () => {
    assert.deepEqual(parseTimestamp('2023-03-01T12:15:30.5+02:00'), timestamp(second + 500));
    for (const text of [
      '',
      'today',
      '2023-03-01',
      '2023-03-01T10:15:30',
      '2023-03-01T10:15:30.Z',
      '2026-02-30T10:15:30Z',
    ]) {
      assert.equal(parseTimestamp(text), undefined);
    }
  });
});

describe('durations', () => {
  const texts: [string, number][] = [
    ['0s', 0],
    ['30s', 30_000],
    ['1.500s', 1500],
    ['0.000250s', 0.25],
    ['0.000000001s', 1e-6],
    ['-1.500s', -1500],
    ['1361688930.123457s', 1_361_688_930_123.457],
  ];
  for (const [text, ms] of texts) {
    it(`${text} both ways`, () => {
      assert.equal(formatDuration(ms), text);
      assert.ok(Math.abs((parseDuration(text) ?? Number.NaN) - ms) < 1e-3);
    });
  }

  it('reads the compound forms and refuses a number without unit', () => {
    assert.equal(parseDuration('1h0.5s'), 3_600_500);
    assert.equal(parseDuration('1500ms'), 1500);
    assert.equal(parseDuration('2m30s'), 150_000);
    for (const text of ['', '30', 's', '1h30', '1 s', '--1s']) assert.equal(parseDuration(text), undefined);
  });
});
