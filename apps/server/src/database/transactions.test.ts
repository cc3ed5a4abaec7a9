import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collision } from './collision.ts';
import type { DatabaseEngine, EngineTransaction } from './engine.ts';
import { Transactions } from './transactions.ts';

/** An engine whose first commits fail with these errors. */
function engineThatFails(...errors: Error[]) {
  const steps: string[] = [];
  const transaction = {
    execute: () => Promise.resolve({ rows: [] }),
    isOpen: () => true,
    commit: async () => {
      const error = errors.shift();
      if (error) throw error;
      steps.push('commit');
    },
    rollback: async () => {
      steps.push('rollback');
      throw new Error('the connection is lost');
    },
  } as unknown as EngineTransaction;
  const engine = { begin: () => Promise.resolve(transaction) } as unknown as DatabaseEngine;
  return { engine, steps };
}

const collisions = (count: number) => Array.from({ length: count }, () => new Collision(new Error('deadlock')));

describe('a transaction', () => {
  it('runs again after a collision with another one, five times at most', async () => {
    for (const [count, runs] of [
      [0, 1],
      [1, 2],
      [4, 5],
      [5, 5],
    ] as const) {
      const { engine } = engineThatFails(...collisions(count));
      let done = 0;
      const running = new Transactions(engine, assert.ifError).run(async () => (done += 1));
      if (count === 5) await assert.rejects(running, Collision);
      else assert.equal(await running, runs);
      assert.equal(done, runs);
    }
  });

  it('fails with its first error, and runs no actions after a failed commit', async () => {
    const { engine, steps } = engineThatFails(new Error('the disk is full'));
    const transactions = new Transactions(engine, assert.ifError);
    const actions: number[] = [];
    const run = (action: number) => transactions.run(async () => transactions.afterCommit(() => actions.push(action)));
    await assert.rejects(run(1), /the disk is full/);
    await run(2);
    assert.deepEqual(actions, [2]);
    assert.deepEqual(steps, ['rollback', 'commit']);
  });

  it('calls back before it waits for the disk, and not when the work failed', async () => {
    const { engine, steps } = engineThatFails();
    const transactions = new Transactions(engine, assert.ifError);
    await transactions.run(
      async () => undefined,
      () => steps.push('flushing'),
    );
    const failing = transactions.run(
      () => Promise.reject(new Error('stop')),
      () => steps.push('flushing'),
    );
    await assert.rejects(failing, /stop/);
    assert.deepEqual(steps, ['commit', 'flushing', 'rollback']);
  });
});
