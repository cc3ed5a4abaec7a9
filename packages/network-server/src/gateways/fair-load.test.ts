import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createFairLoad } from './fair-load.ts';

it('beyond 50,000 members further ones share one count', () => {
  const load = createFairLoad(createFakeClock(), () => ({ together: Number.POSITIVE_INFINITY, perGroup: 10 }));
  for (let nth = 0; nth < 50_000; nth += 1) load.take(`group ${nth % 5000}`, `member ${nth}`, 1);
  assert.equal(load.take('new group', 'one member', 10), true);
  assert.equal(load.take('new group', 'another member', 1), false);
});

it('beyond 10,000 groups further ones share one limit', () => {
  const load = createFairLoad(createFakeClock(), () => ({ together: Number.POSITIVE_INFINITY, perGroup: 10 }));
  for (let nth = 0; nth < 10_000; nth += 1) load.take(`group ${nth}`, 'member', 1);
  assert.equal(load.take('one group', 'one member', 15), true);
  assert.equal(load.take('another group', 'another member', 1), false);
});
