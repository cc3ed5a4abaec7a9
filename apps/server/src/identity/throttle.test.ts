import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createThrottle } from './throttle.ts';

describe('throttle', () => {
  it('allows as many attempts as configured, then answers how long to wait', () => {
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

  it('does not count returned attempts', () => {
    const throttle = createThrottle(1, () => 0);
    for (let i = 0; i < 5; i++) {
      assert.equal(throttle.take('a'), 0);
      throttle.giveBack('a');
    }
  });

  it('remembers keys that have used up attempts, however many successful attempts of others follow', () => {
    const throttle = createThrottle(1, () => 0);
    throttle.take('guesser');
    for (let i = 0; i < 10_000; i++) {
      throttle.take(String(i));
      throttle.giveBack(String(i));
    }
    assert.ok(throttle.take('guesser') > 0);
  });

  it('drops the least recently used of very many keys', () => {
    const throttle = createThrottle(1, () => 0);
    throttle.take('first');
    for (let i = 0; i < 10_000; i++) throttle.take(String(i));
    assert.equal(throttle.take('first'), 0);
    assert.ok(throttle.take('9999') > 0);
  });
});
