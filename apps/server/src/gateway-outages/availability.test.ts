import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { availabilityOf, onlineShareOf } from './availability.ts';

const hour = 3_600_000;
const from = new Date(2026, 5, 1).getTime();
const minutes = (parts: ReturnType<typeof availabilityOf>) =>
  parts.map(({ online, offline, stopped }) => [online, offline, stopped].map((ms) => ms / 60_000));

describe('the availability of a gateway', () => {
  it('is the time in which it was online, offline, or no server was running, hour by hour', () => {
    const parts = availabilityOf(
      {
        from,
        to: from + 5 * hour,
        knownFrom: from + hour / 2,
        now: from + 4.5 * hour,
        outages: [
          { from: from + 1.5 * hour, to: from + 2.25 * hour },
          { from: from + 3 * hour, to: Number.POSITIVE_INFINITY },
        ],
        stops: [
          { from: from + 2 * hour, to: from + 2.5 * hour },
          { from: from + 4 * hour, to: from + 4.25 * hour },
        ],
      },
      'HOUR',
    );
    assert.deepEqual(minutes(parts), [
      [30, 0, 0],
      [30, 30, 0],
      [30, 0, 30],
      [0, 60, 0],
      [0, 15, 15],
    ]);
    assert.equal(onlineShareOf(parts), 90 / (90 + 105));
  });

  it('is not known before the first sign of life', () => {
    const parts = availabilityOf(
      { from, to: from + 2 * 24 * hour, knownFrom: null, now: from + 24 * hour, outages: [], stops: [] },
      'DAY',
    );
    assert.deepEqual(minutes(parts), [
      [0, 0, 0],
      [0, 0, 0],
    ]);
    assert.equal(onlineShareOf(parts), undefined);
  });
});
