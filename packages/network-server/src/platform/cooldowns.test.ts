import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createCooldowns, isCooldown } from './cooldowns.ts';

it('rounds the remaining time of a cooldown up to whole milliseconds', () => {
  let monotonicMs = 1000.25;
  const cooldowns = createCooldowns({ ...createFakeClock(), monotonicMs: () => monotonicMs });
  assert.equal(cooldowns.remainingMs('a gateway'), 0);
  cooldowns.begin('a gateway', 2000);
  monotonicMs = 1100.5;
  assert.equal(cooldowns.remainingMs('a gateway'), 1900);
  monotonicMs = 3000.5;
  assert.equal(cooldowns.remainingMs('a gateway'), 0);
});

it('accepts a stored cooldown up to twice the longest one ahead', () => {
  const clock = { now: 1000, longestMs: 100 };
  assert.equal(isCooldown(1000, clock), false);
  assert.equal(isCooldown(1001, clock), true);
  assert.equal(isCooldown(1200, clock), true);
  assert.equal(isCooldown(1201, clock), false, 'a wrong clock has written it');
});
