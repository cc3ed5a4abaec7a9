import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { fullFCnt } from './frame-counter.ts';

it('fullFCnt keeps the bits on air and never falls behind the last accepted frame', () => {
  fc.assert(
    fc.property(fc.nat(0xfffeffff), fc.nat(0xffff), (next, received16) => {
      const full = fullFCnt(next, received16);
      assert.equal(full % 0x10000, received16);
      assert.ok(full >= next - 1 && full < next + 0x10000);
    }),
  );
});
