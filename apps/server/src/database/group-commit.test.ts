import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { type CommitJob, type GroupCommits, groupCommits, inBatches } from './group-commit.ts';

it('begins the next batch while one waits for the disk, and no third', async () => {
  const begun: number[][] = [];
  const ends: (() => void)[] = [];
  const flushing: (() => void)[] = [];
  const write = (items: number[], flushes: () => void) => {
    begun.push(items);
    flushing.push(flushes);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const batches = inBatches(write, { mostTogether: 2, leastApartMs: 0, mostApartMs: 0, apartPerUnitMs: 0 });
  const settled = async () => {
    for (let n = 0; n < 5; n += 1) await nextIteration();
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

describe('units that share a transaction', () => {
  let nowMs: number;
  let written: number[];
  let commits: GroupCommits;

  beforeEach(() => {
    nowMs = 1000;
    written = [];
    mock.method(performance, 'now', () => nowMs);
    mock.timers.enable({ apis: ['setTimeout'] });
    const done = (job: CommitJob) => (job.answer = { status: 'fulfilled', value: true });
    commits = groupCommits({
      together: async (jobs) => {
        written.push(jobs.length);
        jobs.forEach(done);
      },
      alone: async (job) => {
        written.push(1);
        done(job);
      },
    });
  });

  afterEach(() => {
    mock.reset();
    mock.timers.reset();
  });

  const handIn = (count: number) => {
    for (let n = 0; n < count; n += 1) void commits.add({ run: async () => true });
  };
  async function pass(ms: number): Promise<void> {
    nowMs += ms;
    mock.timers.tick(ms);
    for (let n = 0; n < 3; n += 1) await nextIteration();
  }

  it('do not wait after a pause, nor when they are rare', async () => {
    for (let n = 0; n < 20; n += 1) {
      handIn(1);
      await pass(0);
      await pass(1.1);
    }
    assert.deepEqual(written, Array(20).fill(1));
  });

  it('gather for the least time when they are frequent', async () => {
    handIn(80);
    await pass(0);
    await pass(5);
    handIn(1);
    await pass(0);
    assert.deepEqual(written, [80, 1]);
    handIn(3);
    await pass(1);
    assert.deepEqual(written, [80, 1]);
    await pass(1);
    assert.deepEqual(written, [80, 1, 3]);
  });

  it('wait for as long as they may, and go at once with a unit that may not wait', async () => {
    void commits.add({ run: async () => true }, 8);
    await pass(3);
    void commits.add({ run: async () => true }, 8);
    await pass(4);
    assert.deepEqual(written, []);
    await pass(1);
    assert.deepEqual(written, [2]);
    await pass(20);
    void commits.add({ run: async () => true }, 8);
    await pass(2);
    handIn(1);
    await pass(0);
    assert.deepEqual(written, [2, 2]);
  });

  it('gather longer the more there were, up to a limit', async () => {
    handIn(10);
    await pass(0);
    handIn(200);
    await pass(3);
    assert.deepEqual(written, [10]);
    await pass(1);
    assert.deepEqual(written, [10, 200]);
    handIn(1);
    await pass(4);
    assert.deepEqual(written, [10, 200]);
    await pass(1);
    assert.deepEqual(written, [10, 200, 1]);
  });
});
