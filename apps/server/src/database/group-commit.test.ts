import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inBatches } from './group-commit.ts';

it('begins the next batch beside the one that waits for the disk, and no third', async () => {
  const begun: number[][] = [];
  const ends: (() => void)[] = [];
  const flushing: (() => void)[] = [];
  const write = (items: number[], flushes: () => void) => {
    begun.push(items);
    flushing.push(flushes);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const batches = inBatches(write, { mostTogether: 2, leastApartMs: 0 });
  const settled = async () => {
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  for (const item of [1, 2, 3, 4, 5]) batches.add(item);
  await settled();
  assert.deepEqual(begun, [[1, 2]]);
  flushing[0]!();
  await settled();
  assert.deepEqual(begun, [
    [1, 2],
    [3, 4],
  ]);
  flushing[1]!();
  await settled();
  assert.equal(begun.length, 2);
  ends[0]!();
  await settled();
  assert.deepEqual(begun[2], [5]);

  let isIdle = false;
  const idle = batches.idle().then(() => (isIdle = true));
  ends[2]!();
  await settled();
  assert.equal(isIdle, false);
  ends[1]!();
  await idle;
});
