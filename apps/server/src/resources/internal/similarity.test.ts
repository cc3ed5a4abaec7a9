import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@hilltop/simulator';
import { similarTo } from './similarity.ts';

describe('similarTo', () => {
  it('returns what pg_trgm returns', () => {
    // select similarTo('word')('two words') -> 0.36363637
    assert.ok(Math.abs(similarTo('word')('two words') - 0.36363637) < 1e-6);
    assert.equal(similarTo('Same')('same'), 1);
    assert.equal(similarTo('abc')('xyz'), 0);
    assert.equal(similarTo('')(''), 0);
  });

  it('counts each trigram of all words once', () => {
    const random = seededRandom(3);
    const text = () =>
      Array.from({ length: 1 + Math.floor(random() * 12) }, () => 'aabc -Ä'[Math.floor(random() * 7)]).join('');
    for (let turn = 0; turn < 2000; turn += 1) {
      const [one, other] = [text(), text()];
      const [oneTrigrams, otherTrigrams] = [trigramsOf(one), trigramsOf(other)];
      const all = oneTrigrams.union(otherTrigrams).size;
      assert.equal(
        similarTo(one)(other),
        all === 0 ? 0 : oneTrigrams.intersection(otherTrigrams).size / all,
        `${one} / ${other}`,
      );
    }
  });
});

function trigramsOf(text: string): Set<string> {
  const words = text.toLowerCase().split(/[^a-zä]+/);
  const padded = words.filter((word) => word !== '').map((word) => `  ${word} `);
  return new Set(
    padded
      .flatMap((word) => Array.from(word).flatMap((_, at) => word.slice(at, at + 3)))
      .filter((one) => one.length === 3),
  );
}
