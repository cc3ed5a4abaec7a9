import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Network } from '../network/network.ts';
import { createCooldowns } from '../platform/cooldowns.ts';
import { defaultSettings } from '../settings/settings.ts';
import { createFakeClock } from '../testing/fake-clock.ts';
import { cooldownsOf } from './shared-cooldowns.ts';

const clock = createFakeClock();
const now = clock.now().getTime();
const stored = new Map([
  ['running', now + 500],
  ['over', now - 1],
  ['from a wrong clock', now + 3_600_000],
]);
const multicastCooldowns = createCooldowns(clock);
multicastCooldowns.begin('in memory', 700);
const settings = { ...defaultSettings, multicastGatewayDelayMs: 1000 };
const state = { multicastRests: async () => stored };
const networkOf = (isShared: boolean) =>
  ({ clock, settings, state, multicastCooldowns, isShared }) as unknown as Network;

it('an instance with peers reads plausible cooldowns from the state', async () => {
  const cooldowns = await cooldownsOf(networkOf(true), [...stored.keys()]);
  assert.equal(cooldowns.remainingMs('running'), 500);
  assert.equal(cooldowns.remainingMs('over'), 0);
  assert.equal(cooldowns.remainingMs('from a wrong clock'), 0);
  assert.equal(cooldowns.remainingMs('in memory'), 0);
});

it('a single process uses the cooldowns in memory', async () => {
  const cooldowns = await cooldownsOf(networkOf(false), ['in memory', 'running']);
  assert.equal(cooldowns.remainingMs('in memory'), 700);
  assert.equal(cooldowns.remainingMs('running'), 0);
});
