import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fairQueue } from './fair-queue.ts';

type Item = { owner: string; ms: number };

describe('fair queue', () => {
  /** Serves so many items one after the other; answers who was served. */
  function serve(queue: ReturnType<typeof fairQueue<Item>>, count: number): string[] {
    return Array.from({ length: count }, () => {
      const item = queue.next()!;
      queue.charge(item.owner, item.ms);
      return item.owner;
    });
  }
  const add = (queue: ReturnType<typeof fairQueue<Item>>, owner: string, ms: number, count: number) => {
    for (let n = 0; n < count; n++) queue.add(owner, { owner, ms });
  };

  it('shares time and not calls', () => {
    const queue = fairQueue<Item>();
    add(queue, 'long', 10, 100);
    add(queue, 'short', 2, 100);
    const served = serve(queue, 60);
    assert.equal(served.filter((owner) => owner === 'long').length, 10);
  });

  it('serves new owners at once, and gives no credit for idle time', () => {
    const queue = fairQueue<Item>();
    add(queue, 'busy', 10, 100);
    serve(queue, 20);
    add(queue, 'new', 10, 100);
    const served = serve(queue, 20);
    assert.ok(served.slice(0, 2).includes('new'));
    assert.equal(served.filter((owner) => owner === 'new').length, 10);
  });

  it('keeps the order of an owner, also for items that are put back', () => {
    const queue = fairQueue<number>();
    for (const n of [1, 2, 3]) queue.add('a', n);
    queue.putBack('a', queue.next()!);
    assert.equal(queue.peek(), 1);
    assert.deepEqual(queue.drain(), [1, 2, 3]);
    assert.deepEqual([queue.peek(), queue.next()], [undefined, undefined]);
  });

  it('remembers at most a thousand idle owners', () => {
    const [slow, later] = [-1, -2];
    const first = (others: number) => {
      const queue = fairQueue<number>();
      queue.charge('slow', 1000);
      for (let n = 0; n < others; n++) {
        queue.add(String(n), n);
        assert.equal(queue.next(), n);
      }
      queue.add('slow', slow);
      queue.add('later', later);
      return queue.next();
    };
    assert.equal(first(900), later);
    assert.equal(first(1000), slow);
  });
});
