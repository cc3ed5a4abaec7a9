import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createThrottle } from './throttle.ts';

describe('throttle', () => {
  it('lets as many through as allowed, then says how long to wait', () => {
    let now = 0;
    const throttle = createThrottle(3, () => now);
    assert.deepEqual(
      [1, 2, 3].map(() => throttle.take('a')),
      [0, 0, 0],
    );
    assert.equal(throttle.take('a'), 20);
    assert.equal(throttle.take('b'), 0);
    now = 19_999;
    assert.equal(throttle.take('a'), 1);
    now = 20_000;
    assert.equal(throttle.take('a'), 0);
  });

  it('does not count what is given back', () => {
    const throttle = createThrottle(1, () => 0);
    for (let i = 0; i < 5; i++) {
      assert.equal(throttle.take('a'), 0);
      throttle.giveBack('a');
    }
  });

  it('keeps in mind who has tries left to wait for, however many good tries come in between', () => {
    const throttle = createThrottle(1, () => 0);
    throttle.take('guesser');
    for (let i = 0; i < 10_000; i++) {
      throttle.take(String(i));
      throttle.giveBack(String(i));
    }
    assert.ok(throttle.take('guesser') > 0);
  });

  it('forgets the longest unused of very many', () => {
    const throttle = createThrottle(1, () => 0);
    throttle.take('first');
    for (let i = 0; i < 10_000; i++) throttle.take(String(i));
    assert.equal(throttle.take('first'), 0);
    assert.ok(throttle.take('9999') > 0);
  });
});
