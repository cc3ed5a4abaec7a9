import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFrameLog } from './frame-log.ts';

async function take<T>(entries: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const entry of entries) {
    taken.push(entry);
    if (taken.length === count) break;
  }
  return taken;
}

describe('frame log', () => {
  it('gives a new reader the stored entries first, then live ones', async () => {
    const log = createFrameLog<number>({ perKey: () => 2, keys: 10 });
    for (const entry of [1, 2, 3]) log.add('a', entry);
    const taken = take(log.read('a', new AbortController().signal), 4);
    await Promise.resolve();
    log.add('b', 9);
    log.add('a', 4);
    log.add('a', 5);
    assert.deepEqual(await taken, [2, 3, 4, 5]);
  });

  it('loses nothing between stored and live entries, and serves several readers', async () => {
    const log = createFrameLog<number>({ perKey: () => 10, keys: 10 });
    const signal = new AbortController().signal;
    const readers = [take(log.read('a', signal), 3), take(log.read('a', signal), 3)];
    for (const entry of [1, 2, 3]) log.add('a', entry);
    assert.deepEqual(await Promise.all(readers), [
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('ends when the reader aborts', async () => {
    const log = createFrameLog<number>({ perKey: () => 2, keys: 10 });
    const abort = new AbortController();
    const taken = take(log.read('a', abort.signal), 5);
    await Promise.resolve();
    log.add('a', 1);
    await Promise.resolve();
    abort.abort();
    assert.ok((await taken).length <= 1);
  });

  it('removes the keys that were silent for longest', async () => {
    const log = createFrameLog<number>({ perKey: () => 2, keys: 2 });
    for (const key of ['a', 'b', 'a', 'c']) log.add(key, 1);
    const aborted = new AbortController();
    const b = take(log.read('b', aborted.signal), 1);
    await Promise.resolve();
    log.add('b', 7);
    assert.deepEqual(await b, [7]);
    assert.deepEqual(await take(log.read('c', aborted.signal), 1), [1]);
  });

  it('stores the newest thousand for a slow reader', async () => {
    const log = createFrameLog<number>({ perKey: () => 1, keys: 2 });
    const reader = log.read('a', new AbortController().signal)[Symbol.asyncIterator]();
    const first = reader.next();
    log.add('a', 0);
    assert.equal((await first).value, 0);
    for (let entry = 1; entry <= 1500; entry++) log.add('a', entry);
    assert.equal((await reader.next()).value, 501);
    await reader.return?.();
  });
});
