import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setLatest } from './latest-n.ts';

describe('a map of the latest entries', () => {
  it('removes the entry that was set longest ago', () => {
    const map = new Map<number, number>();
    for (const key of [1, 2, 3, 1, 4]) setLatest(map, 3, key, key);
    assert.deepEqual([...map.keys()], [3, 1, 4]);
  });

  it('never exceeds its limit, and keeps most of the latest entries', () => {
    const map = new Map<number, number>();
    for (let key = 0; key < 20_000; key += 1) {
      setLatest(map, 2_000, key, key);
      assert.ok(map.size <= 2_000 && map.size >= Math.min(key + 1, 1_800));
      assert.equal(map.get(Math.max(0, key - 1_799)), Math.max(0, key - 1_799));
    }
  });

  it('removes several entries at a time, so that finding the oldest is rare', (t) => {
    const map = new Map<number, number>();
    const looked = t.mock.method(map, 'keys');
    for (let key = 0; key < 10_000; key += 1) setLatest(map, 2_000, key, key);
    assert.ok(looked.mock.callCount() <= 41, `${looked.mock.callCount()} times`);
  });
});
