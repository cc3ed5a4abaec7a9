import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dateOfGpsTime, gpsTimeOf } from './gps-time.ts';

describe('GPS time', () => {
  it('converts back to the same instant', () => {
    const instant = fc.date({ min: new Date('1980-01-06'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(fc.property(instant, (utc) => assert.deepEqual(dateOfGpsTime(gpsTimeOf(utc)), utc)));
  });

  it('continues while UTC inserts a second', () => {
    const before = gpsTimeOf(new Date('2016-12-31T23:59:59.999Z'));
    assert.equal(gpsTimeOf(new Date('2017-01-01T00:00:00Z')) - before, 1001);
    assert.deepEqual(dateOfGpsTime(before), new Date('2016-12-31T23:59:59.999Z'));
    assert.deepEqual(dateOfGpsTime(before + 501), new Date('2017-01-01T00:00:00.500Z'));
    assert.deepEqual(dateOfGpsTime(before + 1001), new Date('2017-01-01T00:00:00Z'));
  });
});
