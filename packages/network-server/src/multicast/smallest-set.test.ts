import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { smallestSet } from './smallest-set.ts';

describe('the smallest set of gateways', () => {
  const cases: [what: string, choices: string[][], set: string[]][] = [
    ['is empty for nobody', [], []],
    ['leaves out who has no choice', [[], ['a']], ['a']],
    [
      'takes the one that all have in common',
      [
        ['a', 'b'],
        ['b', 'c'],
        ['d', 'b'],
      ],
      ['b'],
    ],
    ['takes several for those apart', [['a'], ['b', 'c'], ['c']], ['a', 'c']],
    [
      // Most devices are served by x, but then each of the others still needs a gateway.
      'is smaller than what comes from always taking the gateway that serves most',
      [['a', 'x'], ['a', 'x'], ['a'], ['b', 'x'], ['b', 'x', 'c'], ['b']],
      ['a', 'b'],
    ],
  ];
  for (const [what, choices, set] of cases)
    it(what, () => {
      assert.deepEqual(smallestSet(choices).sort(), set);
    });

  it('serves all devices when it cannot be found in time', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const choices = Array.from({ length: 5000 }, () => Array.from({ length: 1 + random(6) }, () => `${random(300)}`));
    const set = new Set(smallestSet(choices));
    assert.ok(choices.every((choice) => choice.some((gateway) => set.has(gateway))));
    assert.ok(set.size <= 300);
  });
});
