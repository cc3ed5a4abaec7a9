import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createMetrics } from '../metrics.ts';
import { createInstanceLoad } from './instance-load.ts';

it('the load of an instance is reported per second of the last minute', async () => {
  const metrics = createMetrics();
  let now = 0;
  let next: () => void = () => undefined;
  const clock = {
    now: () => new Date(now),
    monotonicMs: () => now,
    after: (_ms: number, work: () => void) => {
      next = work;
      return () => undefined;
    },
  };
  metrics.count('uplinks', { region: 'EU868' }, 1_000);
  const figures = createInstanceLoad({ clock, metrics, gatewayCount: () => 7 });
  const tenSeconds = async (uplinks: number) => {
    metrics.count('uplinks', { region: 'EU868' }, uplinks / 2);
    metrics.count('uplinks', { region: 'US915' }, uplinks / 2);
    now += 10_000;
    next();
    await turn();
  };
  await turn();
  const rest = { gateways: 7, copiesPerSecond: 0, downlinksPerSecond: 0 };
  const rates = () => {
    const { lagMs, ...others } = figures.now();
    assert.ok(lagMs >= 0);
    return others;
  };
  assert.deepEqual(rates(), { ...rest, uplinksPerSecond: 0 });
  await tenSeconds(100);
  assert.deepEqual(rates(), { ...rest, uplinksPerSecond: 10 });
  for (let times = 0; times < 6; times += 1) await tenSeconds(20);
  assert.deepEqual(rates(), { ...rest, uplinksPerSecond: 2 });
  const { total } = metrics;
  metrics.total = () => Promise.reject(new Error('not now'));
  await tenSeconds(20);
  metrics.total = total;
  assert.deepEqual(rates(), { ...rest, uplinksPerSecond: 2 }, 'a look that failed changes nothing');
  figures.stop();
});
