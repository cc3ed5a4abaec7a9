import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

const setUp = (maxInFlight = 32) => {
  const clock = createFakeClock();
  const breaker = new CircuitBreaker({ clock, random: () => 0.5 }, maxInFlight);
  /** The number of requests that may be in flight. */
  const limit = () => {
    let inFlight = 0;
    while (breaker.allowsRequest(inFlight)) inFlight += 1;
    return inFlight;
  };
  const fail = (startedAt = clock.monotonicMs(), retryAfterMs?: number) =>
    breaker.recordFailure({ retryAfterMs }, startedAt);
  return { clock, breaker, limit, fail };
};

describe('the circuit breaker of an endpoint', () => {
  it('allows eight requests at first, one more after each success, and never more than configured', () => {
    const { breaker, limit } = setUp(10);
    assert.equal(limit(), 8);
    for (const expected of [9, 10, 10]) {
      breaker.recordSuccess(10);
      assert.equal(limit(), expected);
    }
    breaker.lowerLimit(3);
    assert.equal(limit(), 3);
    assert.equal(setUp(2).limit(), 2);
  });

  it('allows nothing during the pause after a failure, and then one request until one succeeds', async () => {
    const { clock, breaker, limit, fail } = setUp();
    assert.equal(fail(), true);
    assert.deepEqual([breaker.isOpen, limit(), breaker.remainingPauseMs()], [true, 0, 1500]);
    await clock.advance(1499);
    assert.equal(limit(), 0);
    await clock.advance(1);
    assert.deepEqual([breaker.isOpen, limit()], [true, 1]);
    breaker.recordSuccess(32);
    assert.deepEqual([breaker.isOpen, limit()], [false, 2]);
  });

  it('pauses longer after each consecutive failure, up to five minutes, and as short as at first after a success', async () => {
    const { clock, breaker, fail } = setUp();
    const pauses = [];
    for (let failure = 0; failure < 10; failure += 1) {
      fail();
      pauses.push(breaker.remainingPauseMs());
      await clock.advance(breaker.remainingPauseMs());
    }
    assert.deepEqual(pauses, [1500, 3000, 6000, 12_000, 24_000, 48_000, 96_000, 192_000, 225_000, 225_000]);
    breaker.recordSuccess(32);
    fail();
    assert.equal(breaker.remainingPauseMs(), 1500);
  });

  it('ignores failures of requests that were in flight at the last failure', async () => {
    const { clock, breaker, fail } = setUp();
    const startedAt = clock.monotonicMs();
    await clock.advance(1000);
    assert.equal(fail(startedAt), true);
    await clock.advance(500);
    assert.equal(fail(startedAt), false);
    assert.equal(breaker.remainingPauseMs(), 1000);
    await clock.advance(1000);
    assert.equal(fail(), true);
    assert.equal(breaker.remainingPauseMs(), 3000);
  });

  it('lowers the limit also for a failure that does not count', () => {
    const { breaker, limit, fail } = setUp();
    breaker.reset(32);
    assert.equal(limit(), 8);
    assert.equal(fail(-1), false);
    assert.deepEqual([breaker.isOpen, limit()], [false, 1]);
  });

  it('pauses for the time that the endpoint requests', () => {
    const { clock, breaker, fail } = setUp();
    fail(clock.monotonicMs(), 90_000);
    assert.equal(breaker.remainingPauseMs(), 90_000);
  });

  it('starts again after a reset', () => {
    const { breaker, limit, fail } = setUp();
    fail();
    breaker.reset(32);
    assert.deepEqual([breaker.isOpen, limit()], [false, 8]);
  });

  it('distinguishes a first failure from one without a response before it', () => {
    const { breaker } = setUp();
    assert.equal(breaker.recordConsecutiveFailure(), true);
    assert.equal(breaker.recordConsecutiveFailure(), false);
    breaker.recordResponse();
    assert.equal(breaker.recordConsecutiveFailure(), true);
    breaker.recordSuccess(32);
    assert.equal(breaker.recordConsecutiveFailure(), true);
  });

  it('logs the first of consecutive failures and then every tenth', () => {
    const { breaker } = setUp();
    const logged = Array.from({ length: 21 }, () => breaker.countFailureForLog());
    assert.deepEqual(
      logged.flatMap((isLogged, index) => (isLogged ? [index] : [])),
      [0, 10, 20],
    );
    breaker.recordSuccess(32);
    assert.equal(breaker.countFailureForLog(), true);
  });
});
