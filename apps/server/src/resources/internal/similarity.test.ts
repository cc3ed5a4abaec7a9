import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { similarTo } from './similarity.ts';

describe('similarTo', () => {
  it('is what pg_trgm says', () => {
    // select similarTo('word')('two words') -> 0.36363637
    assert.ok(Math.abs(similarTo('word')('two words') - 0.36363637) < 1e-6);
    assert.equal(similarTo('Same')('same'), 1);
    assert.equal(similarTo('abc')('xyz'), 0);
    assert.equal(similarTo('')(''), 0);
  });
});
