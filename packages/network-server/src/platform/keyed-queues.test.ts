import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeyedQueues } from './keyed-queues.ts';

describe('keyed queues', () => {
  it('preserve the order of one key and run others concurrently', async () => {
    const queues = createKeyedQueues();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = queues.run('a', async () => {
      await gate.promise;
      order.push('a1');
    });
    const second = queues.run('a', async () => void order.push('a2'));
    await queues.run('b', async () => void order.push('b1'));
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['b1', 'a1', 'a2']);
  });

  it('continue after a failure', async () => {
    const queues = createKeyedQueues();
    await assert.rejects(queues.run('a', () => Promise.reject(new Error('no'))));
    const failing = queues.run('a', () => Promise.reject(new Error('no')));
    const order: string[] = [];
    const next = queues.run('a', async () => void order.push('a'));
    await assert.rejects(failing);
    await next;
    assert.deepEqual(order, ['a']);
  });
});
