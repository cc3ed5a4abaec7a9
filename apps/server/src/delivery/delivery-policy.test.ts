import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import type { AttemptResult } from './attempt.ts';
import type { CursorStore } from './cursor-store.ts';
import { DeliveryPolicy } from './delivery-policy.ts';
import { DeviceQueues } from './device-queues.ts';
import { EndpointMonitor } from './endpoint-monitor.ts';
import { healthy } from './health.ts';
import { OpenEvents } from './open-events.ts';
import type { RetryQueue } from './retry-queue.ts';
import type { RetryRow } from './retry-rows.ts';

const fail = (fault: DeliveryError['fault'], details: { status?: number; retryAfterMs?: number } = { status: 500 }) =>
  new DeliveryError(fault, `${fault} failed`, details);

function setUp({ keepOrder = true } = {}) {
  const clock = createFakeClock();
  const random = () => 0.5;
  const open = new OpenEvents([]);
  const live = new DeviceQueues();
  const actions: string[] = [];
  const nameOf = ({ devEUI, pos }: { devEUI: string; pos: number }) => `${devEUI}.${pos}`;
  const seconds = (at: Date) => Math.round((at.getTime() - clock.now().getTime()) / 1000);
  const retries = {
    add: async (_: string, events: { event: RetryRow['event'] }[], { status }: RetryRow, nextAt: Date) => {
      actions.push(`retry ${events.map(({ event }) => nameOf(event)).join(' ')} in ${seconds(nextAt)} s: ${status}`);
      return true;
    },
    addDeadLetter: async ({ event }: RetryRow) => actions.push(`dead letter ${nameOf(event)}`) > 0,
    complete: async (_: object, { event }: RetryRow) => actions.push(`completed ${nameOf(event)}`) > 0,
    postpone: async (_: object, { event, nextAt, failures }: RetryRow) =>
      actions.push(`postponed ${nameOf(event)} for ${seconds(nextAt)} s: ${failures}`) > 0,
    moveToDeadLetters: async (_: object, { event, attempts, message }: RetryRow) =>
      actions.push(`gave up ${nameOf(event)} after ${attempts}: ${message}`) > 0,
    delay: (_: object, ms: number) => void actions.push(`delayed for ${ms / 1000} s`),
  } as unknown as RetryQueue;
  const completed = { events: 0 };
  const cursorStore = {
    options: { keepOrder, maxInFlight: 32 },
    countCompleted: (events: number) => {
      completed.events += events;
    },
  } as unknown as CursorStore;
  const monitor = new EndpointMonitor(
    { clock, random, giveUpMs: 60_000, steadyTime: { now: () => clock.now().getTime() } as never },
    {
      health: healthy(clock.now()),
      maxInFlight: 32,
      backlog: () => ({ retrying: 0, oldestAt: open.oldest()?.event.at }),
      onChange: () => undefined,
    },
  );
  const log: string[] = [];
  const attemptLog = {
    addAttempt: (outcome: string, { event, attempt }: { event: RetryRow['event']; attempt: number }) =>
      void log.push(`${outcome} ${nameOf(event)} #${attempt}`),
    addNote: (outcome: string, message: string) => void log.push(`${outcome} ${message}`),
    isDirty: () => false,
    write: async () => undefined,
  };
  const policy = new DeliveryPolicy({ clock, random }, { open, live, retries, monitor, attemptLog, cursorStore });
  const push = (devEUI: string, pos: number) => {
    const queued = open.add({ ...loggedEvent('up'), devEUI, pos, at: clock.now() });
    live.push(queued);
    return queued;
  };
  const resultOf = (error?: DeliveryError): AttemptResult => ({
    error,
    isInternal: false,
    doneParts: ['part'],
    requests: 1,
    bytes: 1,
    ms: 1,
    sent: '',
    excerpt: '',
    status: error?.status ?? (error ? 0 : 200),
  });
  const send = (queued: ReturnType<typeof push>, error?: DeliveryError) => {
    queued.attempts += 1;
    return policy.handleSent({ events: [queued], result: resultOf(error), startedAt: clock.monotonicMs() });
  };
  const queue = { devEUI: 'r', events: [], retryCount: 1, isBusy: true, notBefore: 0 };
  const rowOf = (change: Partial<RetryRow> = {}): RetryRow => ({
    event: { ...loggedEvent('up'), devEUI: 'r', pos: 9 },
    doneParts: [],
    attempts: 4,
    failures: 1,
    nextAt: clock.now(),
    status: 500,
    message: 'before',
    deadAt: undefined,
    ...change,
  });
  const retry = (error?: DeliveryError, change?: Partial<RetryRow>) =>
    policy.handleRetried({ queue, row: rowOf(change), result: resultOf(error), startedAt: clock.monotonicMs() });
  return { clock, open, live, actions, completed, monitor, log, policy, push, send, retry, queue, rowOf };
}

describe('the delivery policy', () => {
  it('completes delivered events', async () => {
    const { open, live, completed, monitor, log, push, send } = setUp();
    await send(push('a', 1));
    assert.deepEqual([open.size, live.find('a')?.events, completed.events], [0, [], 1]);
    assert.deepEqual(log, ['DELIVERED a.1 #1']);
    assert.ok(monitor.health.lastSuccessAt);
  });

  it('moves a refused event and the later ones of its device to the retry queue', async () => {
    const { open, actions, log, monitor, push, send } = setUp();
    const first = push('a', 1);
    push('a', 2);
    push('b', 3);
    await send(first, fail('event', { status: 422 }));
    assert.deepEqual(actions, ['retry a.1 a.2 in 10 s: 422']);
    assert.deepEqual([log, open.events().map(({ pos }) => pos)], [['PARKED a.1 #1'], [3]]);
    assert.equal(monitor.breaker.isOpen, false);
  });

  it('moves only the refused event without the option to keep the order', async () => {
    const { actions, push, send } = setUp({ keepOrder: false });
    const first = push('a', 1);
    push('a', 2);
    await send(first, fail('event', { status: 422 }));
    assert.deepEqual(actions, ['retry a.1 in 10 s: 422']);
  });

  it('makes an event a dead letter that the adapter could not write', async () => {
    const { open, actions, log, push, send } = setUp();
    await send(push('a', 1), fail('event', {}));
    assert.deepEqual([actions, log, open.size], [['dead letter a.1'], ['DEAD a.1 #1'], 0]);
  });

  it('moves an event to the retry queue after three failures between successes of other events', async () => {
    const { clock, actions, live, monitor, push, send } = setUp();
    const bad = push('a', 1);
    for (let failure = 1; failure <= 3; failure += 1) {
      await send(bad, fail('endpoint'));
      assert.equal(monitor.breaker.isOpen, false);
      if (failure < 3) assert.equal(live.find('a')!.notBefore, clock.now().getTime() + 1000 * failure);
      await send(push('b', 1 + failure));
    }
    assert.deepEqual(actions, ['retry a.1 in 30 s: 500']);
  });

  it('opens the circuit breaker after a second failure without a response, and for a time that the endpoint asks for', async () => {
    const { monitor, push, send } = setUp();
    await send(push('a', 1), fail('endpoint'));
    assert.equal(monitor.breaker.isOpen, false);
    await send(push('b', 2), fail('endpoint'));
    assert.equal(monitor.breaker.isOpen, true);
    const busy = setUp();
    await busy.send(busy.push('a', 1), fail('endpoint', { status: 429, retryAfterMs: 90_000 }));
    assert.equal(busy.monitor.breaker.remainingPauseMs(), 90_000);
  });

  it('suspends the integration when the endpoint is gone, or has failed for too long', async () => {
    const { monitor, push, send } = setUp();
    await send(push('a', 1), fail('gone', { status: 410 }));
    assert.deepEqual([monitor.isSuspended, monitor.health.reason], [true, 'gone failed']);
    const failing = setUp();
    await failing.send(failing.push('a', 1), fail('endpoint'));
    await failing.clock.advance(60_000);
    await failing.send(failing.push('b', 2), fail('endpoint'));
    assert.match(failing.monitor.health.reason, /^Nothing was delivered since/);
  });

  it('completes a retry that was delivered', async () => {
    const { actions, monitor, log, retry } = setUp();
    await retry();
    assert.deepEqual([actions, log], [['completed r.9'], ['DELIVERED r.9 #5']]);
    assert.ok(monitor.health.lastSuccessAt);
  });

  it('postpones a retry that failed, longer each time, and finally moves a refused one to the dead letters', async () => {
    const { actions, monitor, retry } = setUp();
    await retry(fail('event', { status: 422 }), { failures: 1 });
    await retry(fail('event', { status: 422 }), { failures: 3 });
    await retry(fail('endpoint'), { failures: 7 });
    assert.deepEqual(actions, [
      'postponed r.9 for 60 s: 2',
      'gave up r.9 after 5: event failed',
      'postponed r.9 for 3600 s: 8',
    ]);
    assert.equal(monitor.breaker.isOpen, false);
  });

  it('counts a second failure of retries without a response as a failure of the endpoint', async () => {
    const { monitor, retry } = setUp();
    await retry(fail('endpoint'));
    assert.equal(monitor.breaker.isOpen, false);
    await retry(fail('endpoint'));
    assert.equal(monitor.breaker.isOpen, true);
  });

  it('does not count the failure of a retry while the circuit breaker is open', async () => {
    const { clock, actions, monitor, retry } = setUp();
    monitor.breaker.recordFailure({ retryAfterMs: undefined }, clock.monotonicMs());
    await retry(fail('endpoint'));
    assert.deepEqual(actions, ['delayed for 30 s']);
  });

  it('expires old events, and makes old retries dead letters', async () => {
    const { actions, completed, log, open, policy, push, queue, rowOf } = setUp();
    policy.handleExpired([push('a', 1)]);
    assert.deepEqual([open.size, completed.events > 0], [0, true]);
    assert.match(log[0]!, /^EXPIRED 1 event of .* expired/);
    await policy.handleExpiredRetry(queue, rowOf());
    assert.deepEqual(actions, ['gave up r.9 after 4: Too old: before']);
  });
});
