import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Health, type HealthObservation, healthy, nextHealth, OutcomeWindow } from './health.ts';

const start = new Date('2026-11-21T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

const outcomesOf = (...outcomes: ('success' | 'failure')[]) => {
  const window = new OutcomeWindow();
  for (const outcome of outcomes) window.add(outcome);
  return window;
};
const repeat = <T>(value: T, count: number) => Array.from({ length: count }, () => value);

const observe = (change: Partial<HealthObservation> = {}): HealthObservation => ({
  now: start,
  retrying: 0,
  oldestAt: undefined,
  lastProblem: 'It refuses connections',
  pauseMs: 0,
  ...change,
});
const stateAfter = (before: Health, window: OutcomeWindow, change?: Partial<HealthObservation>) =>
  nextHealth(before, window, observe(change)).state;

const failing: Health = { ...healthy(start), failingSince: start };
const degraded: Health = { ...healthy(start), state: 'DEGRADED', reason: 'It refuses connections' };

describe('the health of an integration', () => {
  it('degrades after five consecutive failures, with the last problem as its reason', () => {
    assert.equal(stateAfter(failing, outcomesOf(...repeat('failure' as const, 4))), 'HEALTHY');
    const { state, reason } = nextHealth(failing, outcomesOf(...repeat('failure' as const, 5)), observe());
    assert.deepEqual([state, reason], ['DEGRADED', 'It refuses connections']);
  });

  it('degrades when half of the last twenty outcomes are failures', () => {
    const mixed = repeat(['failure', 'success'] as const, 10).flat();
    assert.equal(stateAfter(healthy(start), outcomesOf(...mixed)), 'DEGRADED');
    assert.equal(stateAfter(healthy(start), outcomesOf(...mixed.slice(1))), 'HEALTHY');
    assert.equal(stateAfter(healthy(start), outcomesOf(...mixed, 'success', 'success')), 'HEALTHY');
  });

  it('degrades after ten seconds of failures, but not by a single failure however long it took', () => {
    const later = { now: after(10_000) };
    assert.equal(stateAfter(failing, outcomesOf('failure'), later), 'HEALTHY');
    assert.equal(stateAfter(failing, outcomesOf('failure', 'failure'), { now: after(9_999) }), 'HEALTHY');
    assert.equal(stateAfter(failing, outcomesOf('failure', 'failure'), later), 'DEGRADED');
  });

  it('counts stale failures for those ten seconds only', () => {
    const window = outcomesOf('failure');
    for (let stale = 0; stale < 5; stale += 1) window.addStaleFailure();
    assert.equal(stateAfter(failing, window, { now: after(5000) }), 'HEALTHY');
    assert.equal(stateAfter(failing, window, { now: after(10_000) }), 'DEGRADED');
  });

  it('degrades when the endpoint is paused for a minute, and while events wait for a retry', () => {
    assert.equal(stateAfter(failing, outcomesOf('failure'), { pauseMs: 59_999 }), 'HEALTHY');
    assert.equal(stateAfter(failing, outcomesOf('failure'), { pauseMs: 60_000 }), 'DEGRADED');
    assert.equal(stateAfter(healthy(start), outcomesOf(), { retrying: 1 }), 'DEGRADED');
  });

  it('recovers with the first success when nothing else waits', () => {
    assert.equal(stateAfter(degraded, outcomesOf('failure', 'success')), 'HEALTHY');
    assert.equal(stateAfter(degraded, outcomesOf('success'), { retrying: 1 }), 'DEGRADED');
    assert.equal(stateAfter({ ...degraded, failingSince: start }, outcomesOf('success')), 'DEGRADED');
  });

  it('recovers after twenty successes with a recent backlog, and not while the backlog is older than a minute', () => {
    const successes = outcomesOf('failure', ...repeat('success' as const, 20));
    const now = after(60_000);
    assert.equal(stateAfter(degraded, successes, { now, oldestAt: after(1) }), 'HEALTHY');
    assert.equal(stateAfter(degraded, successes, { now, oldestAt: start }), 'DEGRADED');
    const fewer = outcomesOf('failure', ...repeat('success' as const, 19));
    assert.equal(stateAfter(degraded, fewer, { now, oldestAt: after(1) }), 'DEGRADED');
  });

  it('shows the last problem while the endpoint fails', () => {
    const before: Health = { ...degraded, failingSince: start };
    const next = nextHealth(before, outcomesOf('failure'), observe({ lastProblem: 'It did not answer in time' }));
    assert.equal(next.reason, 'It did not answer in time');
    assert.equal(nextHealth(before, outcomesOf('failure'), observe({ lastProblem: '' })), before);
  });

  it('does not end a suspension', () => {
    const suspended: Health = { ...healthy(start), state: 'SUSPENDED' };
    assert.equal(nextHealth(suspended, outcomesOf('success'), observe()), suspended);
  });
});
