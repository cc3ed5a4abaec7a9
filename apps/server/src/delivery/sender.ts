import type { LoggedEvent } from '../event-log/event-log.ts';
import type { ConfiguredIntegration } from '../integrations/integration.ts';
import type { DeliveryError } from '../outgoing/delivery-error.ts';
import type { AnyAdapter, AttemptResult } from './attempt.ts';
import type { DeviceQueue, DeviceQueues, QueuedEvent } from './device-queues.ts';
import type { EndpointMonitor } from './endpoint-monitor.ts';
import type { RequestSource } from './request-scheduler.ts';
import type { RetryQueue } from './retry-queue.ts';
import type { RetryRow } from './retry-rows.ts';
import { type DeliveryRuntime, isExpired } from './runtime.ts';
import { storageRetryMs } from './storage-retry.ts';

/** The outcome of one request with live events: one event or a batch. */
export interface SendOutcome {
  events: readonly QueuedEvent[];
  result: AttemptResult;
  /** Monotonic ms. */
  startedAt: number;
}

/** The outcome of one retry. */
export interface RetryOutcome {
  queue: DeviceQueue;
  /** The row before this attempt. */
  row: RetryRow;
  result: AttemptResult;
  /** Monotonic ms. */
  startedAt: number;
}

/** Gets every outcome, and decides about the events. A device sends nothing more until the promise resolves. */
export interface OutcomeHandler {
  handleExpired(events: readonly QueuedEvent[]): void;
  /** Live events that must wait for a retry of their device. */
  handleBlocked(events: readonly QueuedEvent[]): Promise<void>;
  handleSent(outcome: SendOutcome): Promise<void>;
  handleExpiredRetry(queue: DeviceQueue, row: RetryRow): Promise<void>;
  handleRetried(outcome: RetryOutcome): Promise<void>;
}

interface SenderOptions {
  adapter: AnyAdapter;
  integration: () => ConfiguredIntegration;
  live: DeviceQueues;
  retries: RetryQueue;
  monitor: Pick<EndpointMonitor, 'breaker' | 'health' | 'isSuspended'>;
  signal: AbortSignal;
  /** False when an event was completed meanwhile. */
  isOpen: (event: LoggedEvent) => boolean;
  /** Whether an event must wait for a retry of its device. */
  isBlocked: (event: LoggedEvent) => boolean;
  outcomes: OutcomeHandler;
  onRequestEnded: () => void;
}

const maxBatchBytes = 200_000;

/** Sends the events of one integration: builds requests of live events and retries when the scheduler has a permit. */
export class Sender implements RequestSource {
  readonly #runtime: Pick<DeliveryRuntime, 'clock' | 'steadyTime' | 'maxAgeMs' | 'attempt'>;
  readonly #options: SenderOptions;
  #inFlight = 0;
  #liveEventsInFlight = 0;
  #onIdle: (() => void) | undefined;

  constructor(runtime: Pick<DeliveryRuntime, 'clock' | 'steadyTime' | 'maxAgeMs' | 'attempt'>, options: SenderOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Live events in requests whose result is not known yet. */
  get liveEventsInFlight(): number {
    return this.#liveEventsInFlight;
  }

  isDegraded(): boolean {
    const { breaker, health } = this.#options.monitor;
    return breaker.isOpen || health.state === 'DEGRADED';
  }

  next(): (() => Promise<void>) | undefined {
    const { signal, monitor } = this.#options;
    if (signal.aborted || monitor.isSuspended || !monitor.breaker.allowsRequest(this.#inFlight)) return undefined;
    // A retry may fail because of its event: it does not show whether the endpoint has recovered.
    if (monitor.breaker.isOpen) return this.#nextBatch() ?? this.#nextRetry();
    return this.#nextRetry() ?? this.#nextBatch();
  }

  /** Resolves when no request is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  #nextBatch(): (() => Promise<void>) | undefined {
    const { live } = this.#options;
    const first = live.acquire();
    if (!first) return undefined;
    const maxEvents = first.events[0]?.isSentAlone ? 1 : this.#maxBatchEvents();
    const queues = [first];
    for (let count = first.events.length; count < maxEvents; ) {
      const next = live.acquire(({ events: [event] }) => !event?.isSentAlone);
      if (!next) break;
      queues.push(next);
      count += next.events.length;
    }
    const events = selectBatch(queues, maxEvents);
    return this.#startRequest(
      () => this.#send(events),
      () => queues.forEach((queue) => live.release(queue)),
    );
  }

  #nextRetry(): (() => Promise<void>) | undefined {
    const { queues } = this.#options.retries;
    const queue = queues.acquire();
    return (
      queue &&
      this.#startRequest(
        () => this.#retryOldest(queue),
        () => queues.release(queue),
      )
    );
  }

  #maxBatchEvents(): number {
    const { adapter, monitor } = this.#options;
    return monitor.breaker.isOpen ? 1 : (adapter.deliverBatch?.maxEvents ?? 1);
  }

  #startRequest(send: () => Promise<unknown>, release: () => void): () => Promise<void> {
    this.#inFlight += 1;
    return async () => {
      try {
        await send();
      } finally {
        this.#inFlight -= 1;
        release();
        if (this.#inFlight === 0) this.#onIdle?.();
        this.#options.onRequestEnded();
      }
    };
  }

  /** Returns whether to send the other half of a batch that was split. */
  async #send(batch: readonly QueuedEvent[]): Promise<boolean> {
    const { adapter, integration, isOpen, isBlocked, outcomes } = this.#options;
    const expired = batch.filter(({ event }) => isExpired(this.#runtime, event.at));
    if (expired.length > 0) outcomes.handleExpired(expired);
    const blocked = batch.filter(({ event }) => isOpen(event) && isBlocked(event));
    if (blocked.length > 0) await outcomes.handleBlocked(blocked);
    const events = batch.filter((queued) => isOpen(queued.event) && !blocked.includes(queued));
    const [first] = events;
    if (!first) return true;
    const startedAt = this.#runtime.clock.monotonicMs();
    for (const queued of events) queued.attempts += 1;
    this.#liveEventsInFlight += events.length;
    const result = await this.#runtime.attempt({
      integration: integration(),
      adapter,
      events: events.map(({ event }) => event),
      attempt: first.attempts,
      doneParts: first.doneParts,
    });
    this.#liveEventsInFlight -= events.length;
    first.doneParts = result.doneParts;
    const { error, isInternal } = result;
    if (error && isInternal) await this.#delay(storageRetryMs);
    else if (error?.fault === 'event' && events.length > 1) {
      // The endpoint refuses batches as a whole: halves show which event is at fault.
      const half = Math.ceil(events.length / 2);
      return (await this.#send(events.slice(0, half))) && (await this.#send(events.slice(half)));
    } else {
      // One event may be at fault: the next attempts show which one.
      if (error && events.length > 1 && mayBlameEvent(error)) for (const queued of events) queued.isSentAlone = true;
      await outcomes.handleSent({ events, result, startedAt });
    }
    return !error || error.fault === 'event';
  }

  async #retryOldest(queue: DeviceQueue): Promise<void> {
    const { adapter, integration, retries, outcomes } = this.#options;
    const row = await retries.oldest(queue);
    if (!row) return;
    if (isExpired(this.#runtime, row.revivedAt ?? row.event.at)) {
      await outcomes.handleExpiredRetry(queue, row);
      return;
    }
    const startedAt = this.#runtime.clock.monotonicMs();
    const result = await this.#runtime.attempt({
      integration: integration(),
      adapter,
      events: [row.event],
      attempt: row.attempts + 1,
      doneParts: row.doneParts,
    });
    if (result.isInternal) retries.delay(queue, storageRetryMs);
    else await outcomes.handleRetried({ queue, row, result, startedAt });
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#runtime.clock.after(ms, resolve));
  }
}

/** A rate limit: sending events separately would only increase the number of requests. */
const mayBlameEvent = ({ fault, status, retryAfterMs }: DeliveryError): boolean =>
  fault === 'endpoint' && status !== 429 && retryAfterMs === undefined;

function selectBatch(queues: readonly DeviceQueue[], maxEvents: number): QueuedEvent[] {
  const batch: QueuedEvent[] = [];
  let bytes = 0;
  for (const { events } of queues)
    for (const queued of events) {
      bytes += queued.event.json.length;
      if (batch.length > 0 && (batch.length >= maxEvents || bytes > maxBatchBytes || queued.isSentAlone)) break;
      batch.push(queued);
    }
  return batch;
}
