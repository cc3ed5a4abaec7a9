import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import type { AttemptRequest, AttemptResult } from './attempt.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { DeviceQueues, type QueuedEvent } from './device-queues.ts';
import { healthy } from './health.ts';
import type { RetryQueue } from './retry-queue.ts';
import type { RetryRow } from './retry-rows.ts';
import { type OutcomeHandler, Sender } from './sender.ts';

type AttemptOutcome = Pick<AttemptResult, 'error' | 'isInternal'>;

const delivered: AttemptOutcome = { error: undefined, isInternal: false };
const refused: AttemptOutcome = { error: new DeliveryError('event', 'refused', { status: 422 }), isInternal: false };

/** A sender whose attempts have the results of `attempt`, by default all delivered. */
function setUp({
  maxEvents,
  attempt = () => delivered,
}: {
  maxEvents?: number;
  attempt?: (names: readonly string[]) => AttemptOutcome;
} = {}) {
  const clock = createFakeClock();
  const live = new DeviceQueues();
  const retryQueues = new DeviceQueues();
  const breaker = new CircuitBreaker({ clock, random: () => 0.5 }, 32);
  const monitor = { breaker, health: healthy(clock.now()), isSuspended: false };
  const stopping = new AbortController();
  const attempts: string[][] = [];
  const outcomes: string[] = [];
  const unsendable = new Set<string>();
  const blockedDevices = new Set<string>();
  const nameOf = ({ devEUI, pos }: { devEUI: string; pos: number }) => `${devEUI}.${pos}`;
  const label = (error: DeliveryError | undefined) => error?.fault ?? 'delivered';
  const handler: OutcomeHandler = {
    handleExpired: (events) => {
      for (const { event } of events) {
        outcomes.push(`${nameOf(event)} expired`);
        unsendable.add(nameOf(event));
      }
    },
    handleBlocked: async (events) => {
      for (const queued of events) {
        outcomes.push(`${nameOf(queued.event)} blocked`);
        live.remove(queued);
      }
    },
    handleSent: async ({ events, result }) => {
      outcomes.push(`${events.map(({ event }) => nameOf(event)).join(' ')} ${label(result.error)}`);
      for (const queued of events) live.remove(queued);
    },
    handleExpiredRetry: async (_, { event }) => void outcomes.push(`retry ${nameOf(event)} expired`),
    handleRetried: async ({ row, result }) => void outcomes.push(`retry ${nameOf(row.event)} ${label(result.error)}`),
  };
  const rows = new Map<string, RetryRow>();
  const retries = {
    queues: retryQueues,
    oldest: async ({ devEUI }: { devEUI: string }) => rows.get(devEUI),
    delay: (queue: { notBefore: number }, ms: number) => {
      queue.notBefore = clock.now().getTime() + ms;
    },
  } as unknown as RetryQueue;
  const requests: AttemptRequest[] = [];
  const sender = new Sender(
    {
      clock,
      steadyTime: { now: () => clock.now().getTime(), moveOn: async () => {} } as never,
      maxAgeMs: 60_000,
      attempt: async (request) => {
        const names = request.events.map(nameOf);
        requests.push(request);
        attempts.push(names);
        const result = { doneParts: ['part'], requests: 1, bytes: 1, ms: 1, status: 200, sent: '', excerpt: '' };
        return { ...result, ...attempt(names) };
      },
    },
    {
      adapter: {
        eventTypes: ['up'],
        deliver: async () => {},
        ...(maxEvents && { deliverBatch: { maxEvents, deliver: async () => {} } }),
      },
      integration: () => ({ id: 1, applicationID: 7, kind: 'FAKE', config: {}, revision: 1 }),
      live,
      retries,
      monitor,
      signal: stopping.signal,
      isOpen: (event) => !unsendable.has(nameOf(event)),
      isBlocked: ({ devEUI }) => blockedDevices.has(devEUI),
      outcomes: handler,
      onRequestEnded: () => undefined,
    },
  );
  const eventOf = (devEUI: string, pos: number, at = clock.now()) => ({ ...loggedEvent('up'), devEUI, pos, at });
  const push = (devEUI: string, pos: number, at?: Date): QueuedEvent => {
    const event: QueuedEvent = {
      event: eventOf(devEUI, pos, at),
      readIndex: pos,
      attempts: 0,
      doneParts: [],
      soleFailures: 0,
      isSentAlone: false,
    };
    live.push(event);
    return event;
  };
  const pushRetry = (devEUI: string, pos: number, change: Partial<RetryRow> = {}) => {
    const event = eventOf(devEUI, pos);
    const row = { event, doneParts: [], attempts: 2, failures: 1, nextAt: clock.now(), status: 0, message: '' };
    rows.set(devEUI, { ...row, deadAt: undefined, ...change });
    const queue = retryQueues.findOrCreate(devEUI);
    queue.retryCount = 1;
    retryQueues.update(queue);
    return queue;
  };
  return { clock, sender, breaker, monitor, stopping, attempts, requests, outcomes, blockedDevices, push, pushRetry };
}

describe('the sender of an integration', () => {
  it('sends one request of a device at a time, the oldest event first', async () => {
    const { sender, attempts, push } = setUp();
    for (const pos of [1, 2]) push('a', pos);
    push('b', 3);
    const requests = [sender.next()!, sender.next()!];
    assert.equal(sender.next(), undefined);
    assert.equal(sender.inFlight, 2);
    for (const request of requests) await request();
    assert.deepEqual(attempts, [['a.1'], ['b.3']]);
    await sender.next()!();
    assert.deepEqual(attempts.at(-1), ['a.2']);
    await sender.idle();
    assert.deepEqual([sender.inFlight, sender.next()], [0, undefined]);
  });

  it('counts the live events in flight', async () => {
    const counts: number[] = [];
    const { sender, push } = setUp({
      maxEvents: 3,
      attempt: () => {
        counts.push(sender.liveEventsInFlight);
        return delivered;
      },
    });
    for (const pos of [1, 2, 3, 4]) push('a', pos);
    await sender.next()!();
    await sender.next()!();
    assert.deepEqual([counts, sender.liveEventsInFlight], [[3, 1], 0]);
  });

  it('fills a batch from several devices, up to the limit of the adapter', async () => {
    const { sender, attempts, push } = setUp({ maxEvents: 3 });
    for (const pos of [1, 2]) push('a', pos);
    for (const pos of [3, 4]) push('b', pos);
    await sender.next()!();
    await sender.next()!();
    assert.deepEqual(attempts, [['a.1', 'a.2', 'b.3'], ['b.4']]);
  });

  it('splits a refused batch until the refused event is alone', async () => {
    const { sender, outcomes, push } = setUp({
      maxEvents: 4,
      attempt: (names) => (names.includes('b.2') ? refused : delivered),
    });
    for (const [index, device] of ['a', 'b', 'c', 'd'].entries()) push(device, index + 1);
    await sender.next()!();
    assert.deepEqual(outcomes, ['a.1 delivered', 'b.2 event', 'c.3 d.4 delivered']);
  });

  it('does not send the second half of a batch after the endpoint has failed', async () => {
    const { sender, outcomes, push } = setUp({
      maxEvents: 2,
      attempt: (names) =>
        names.length > 1 ? refused : { error: new DeliveryError('endpoint', 'no answer'), isInternal: false },
    });
    push('a', 1);
    push('b', 2);
    await sender.next()!();
    assert.deepEqual(outcomes, ['a.1 endpoint']);
  });

  it('passes on events that wait for a retry of their device, and sends the others', async () => {
    const { sender, outcomes, blockedDevices, push } = setUp({ maxEvents: 5 });
    push('a', 1);
    push('b', 2);
    blockedDevices.add('a');
    await sender.next()!();
    assert.deepEqual([outcomes, sender.next()], [['a.1 blocked', 'b.2 delivered'], undefined]);
  });

  it('sends the events of a batch separately after the endpoint has failed on it', async () => {
    let isAway = true;
    const { sender, attempts, push } = setUp({
      maxEvents: 5,
      attempt: () => (isAway ? { error: new DeliveryError('endpoint', 'no answer'), isInternal: false } : delivered),
    });
    const events = [push('a', 1), push('b', 2)];
    await sender.next()!();
    for (const queued of events) push(queued.event.devEUI, queued.event.pos);
    assert.deepEqual(
      events.map(({ isSentAlone }) => isSentAlone),
      [true, true],
    );
    isAway = false;
    const alone = push('c', 3);
    alone.isSentAlone = true;
    push('c', 4);
    push('d', 5);
    await sender.next()!();
    await sender.next()!();
    await sender.next()!();
    assert.deepEqual(attempts.slice(1), [['a.1', 'b.2'], ['c.3'], ['d.5', 'c.4']]);
  });

  it('repeats a batch as a whole after the endpoint has limited the rate', async () => {
    const error = new DeliveryError('endpoint', 'too many requests', { status: 429 });
    const { sender, push } = setUp({ maxEvents: 5, attempt: () => ({ error, isInternal: false }) });
    const events = [push('a', 1), push('b', 2)];
    await sender.next()!();
    assert.deepEqual(
      events.map(({ isSentAlone }) => isSentAlone),
      [false, false],
    );
  });

  it('prefers retries, but not to test an endpoint that has failed, which gets no batches either', async () => {
    const { clock, sender, breaker, outcomes, push, pushRetry } = setUp({ maxEvents: 5 });
    for (const [device, pos] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      push(device, pos);
    pushRetry('c', 3);
    breaker.recordFailure({ retryAfterMs: undefined }, clock.monotonicMs());
    assert.deepEqual([sender.isDegraded(), sender.next()], [true, undefined]);
    await clock.advance(1500);
    await sender.next()!();
    assert.deepEqual(outcomes, ['a.1 delivered']);
    breaker.recordSuccess(32);
    await sender.next()!();
    assert.deepEqual(outcomes.slice(1), ['retry c.3 delivered']);
  });

  it('sends nothing while the integration is suspended or stops', () => {
    const { sender, monitor, stopping, push } = setUp();
    push('a', 1);
    monitor.isSuspended = true;
    assert.equal(sender.next(), undefined);
    monitor.isSuspended = false;
    stopping.abort();
    assert.equal(sender.next(), undefined);
  });

  it('reports expired events, and sends the others', async () => {
    const { clock, sender, outcomes, attempts, push, pushRetry } = setUp({ maxEvents: 5 });
    await clock.advance(100_000);
    push('a', 1, new Date(clock.now().getTime() - 60_001));
    push('b', 2, new Date(clock.now().getTime() - 60_000));
    await sender.next()!();
    assert.deepEqual([outcomes, attempts], [['a.1 expired', 'b.2 delivered'], [['b.2']]]);
    const old = { ...loggedEvent('up'), devEUI: 'c', pos: 3, at: new Date(0) };
    pushRetry('c', 3, { event: old });
    await sender.next()!();
    assert.equal(outcomes.at(-1), 'retry c.3 expired');
    pushRetry('c', 3, { event: old, revivedAt: clock.now() });
    await sender.next()!();
    assert.equal(outcomes.at(-1), 'retry c.3 delivered');
  });

  it('repeats an attempt after an internal failure, without an outcome', async () => {
    const internal = { error: new DeliveryError('event', 'no storage'), isInternal: true };
    const { clock, sender, outcomes, push, pushRetry } = setUp({ attempt: () => internal });
    push('a', 1);
    const sent = sender.next()!();
    assert.equal(sender.next(), undefined);
    await clock.advance(1000);
    await sent;
    assert.ok(sender.next());
    const queue = pushRetry('b', 2);
    await sender.next()!();
    assert.deepEqual([outcomes, queue.notBefore], [[], clock.now().getTime() + 1000]);
  });

  it('numbers the attempts of an event, and passes on the parts that are done', async () => {
    const { clock, sender, requests, push, pushRetry } = setUp({
      attempt: () => ({ error: new DeliveryError('event', 'no storage'), isInternal: true }),
    });
    const queued = push('a', 1);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const sent = sender.next()!();
      await clock.advance(1000);
      await sent;
    }
    pushRetry('b', 2, { attempts: 4, doneParts: ['x'] });
    await sender.next()!();
    assert.deepEqual(
      requests.map(({ attempt, doneParts }) => [attempt, doneParts]),
      [
        [1, []],
        [2, ['part']],
        [5, ['x']],
      ],
    );
    assert.equal(queued.attempts, 2);
  });
});
