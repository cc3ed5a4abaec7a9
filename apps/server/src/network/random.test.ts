import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from './random.ts';

describe('random bytes', () => {
  it('have the requested length and are never repeated', () => {
    const random = createRandom();
    const seen = new Set<string>();
    for (let time = 0; time < 5_000; time++) {
      const given = random(16 + (time % 3));
      assert.equal(given.length, 16 + (time % 3));
      seen.add(given.subarray(0, 16).toHex());
    }
    assert.equal(seen.size, 5_000);
    assert.equal(new Set(random(10_000)).size, 256);
  });

  it('are not shared between callers', () => {
    const random = createRandom();
    const first = random(16);
    const expected = first.toHex();
    random(16).fill(0);
    assert.equal(first.toHex(), expected);
    assert.notDeepEqual(random(16), new Uint8Array(16));
  });
});
