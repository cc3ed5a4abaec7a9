import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createQuota } from './quota.ts';

it('a quota gives each owner at most its share, all owners at most the total, and accepts returns', () => {
  const quota = createQuota({ all: 10, each: 6 });
  assert.deepEqual(
    [quota.take('a', 6), quota.take('a'), quota.take('b', 4), quota.take('c')],
    [true, false, true, false],
  );
  quota.giveBack('a', 2);
  assert.deepEqual([quota.take('c', 3), quota.take('c', 2)], [false, true]);
  for (const [owner, amount] of [
    ['a', 4],
    ['b', 4],
    ['c', 2],
  ] as const)
    quota.giveBack(owner, amount);
  assert.deepEqual([quota.total(), quota.owners()], [0, 0]);
  assert.deepEqual([quota.take('d', 6), quota.take('e', 4)], [true, true]);
});
