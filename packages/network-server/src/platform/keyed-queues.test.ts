import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeyedQueues } from './keyed-queues.ts';

describe('keyed queues', () => {
  it('preserve the order of one key and run others concurrently', async () => {
    const lanes = createKeyedQueues();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = lanes.run('a', async () => {
      await gate.promise;
      order.push('a1');
    });
    const second = lanes.run('a', async () => void order.push('a2'));
    await lanes.run('b', async () => void order.push('b1'));
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['b1', 'a1', 'a2']);
  });

  it('continue after a failure', async () => {
    const lanes = createKeyedQueues();
    await assert.rejects(lanes.run('a', () => Promise.reject(new Error('no'))));
    const failing = lanes.run('a', () => Promise.reject(new Error('no')));
    const order: string[] = [];
    const next = lanes.run('a', async () => void order.push('a'));
    await assert.rejects(failing);
    await next;
    assert.deepEqual(order, ['a']);
  });
});
