import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createCooldowns } from './cooldowns.ts';

it('tells the rest of a pause in whole milliseconds, whatever fractions the clock has', () => {
  let monotonicMs = 1000.25;
  const rests = createCooldowns({ ...createFakeClock(), monotonicMs: () => monotonicMs });
  assert.equal(rests.left('a gateway'), 0);
  rests.begin('a gateway', 2000);
  monotonicMs = 1100.5;
  assert.equal(rests.left('a gateway'), 1900);
  monotonicMs = 3000.5;
  assert.equal(rests.left('a gateway'), 0);
});
