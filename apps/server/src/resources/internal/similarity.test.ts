import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { similarity } from './similarity.ts';

describe('similarity', () => {
  it('is what pg_trgm says', () => {
    // select similarity('word', 'two words') -> 0.36363637
    assert.ok(Math.abs(similarity('word', 'two words') - 0.36363637) < 1e-6);
    assert.equal(similarity('Same', 'same'), 1);
    assert.equal(similarity('abc', 'xyz'), 0);
    assert.equal(similarity('', ''), 0);
  });
});
