import { parseCursor } from '../event-log/cursor.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import { type ConfiguredIntegration, delivers } from '../integrations/integration.ts';
import type { AnyAdapter } from './attempt.ts';
import type { AttemptLog } from './attempt-log.ts';
import { CursorStore, type DeliveryOptions } from './cursor-store.ts';
import { DeliveryPolicy } from './delivery-policy.ts';
import { DeviceQueues, type QueuedEvent } from './device-queues.ts';
import { EndpointMonitor } from './endpoint-monitor.ts';
import { EventReader } from './event-reader.ts';
import type { Health } from './health.ts';
import { LogCursor } from './log-cursor.ts';
import { RetryQueue } from './retry-queue.ts';
import type { RetryReference } from './retry-rows.ts';
import { type DeliveryRuntime, isExpired, stopTimeoutMs } from './runtime.ts';
import { Sender } from './sender.ts';
import type { DeliveryState } from './state-rows.ts';

/** What users see of a runner. */
export interface RunnerSnapshot {
  state: DeliveryState;
  inFlight: number;
  /** Events in the retry queue. */
  retrying: number;
  nextTryAt: Date | undefined;
  /** The time of the oldest undelivered event in memory. */
  oldestAt: Date | undefined;
}

export interface RunnerOptions {
  integration: ConfiguredIntegration;
  adapter: AnyAdapter;
  state: DeliveryState;
  /** All retries and dead letters of the integration. */
  retryReferences: readonly RetryReference[];
  attemptLog: AttemptLog;
}

/** A wall clock that is set back further than this must not prolong the delays of retries. */
const clockJumpMs = 60_000;

/** Delivers the events of one integration: connects the parts that `delivery.ts` describes. */
export class IntegrationRunner {
  readonly #runtime: DeliveryRuntime;
  readonly #adapter: AnyAdapter;
  readonly #attemptLog: AttemptLog;
  readonly #stopping = new AbortController();
  readonly #cursor: LogCursor;
  readonly #reader: EventReader;
  readonly #live = new DeviceQueues();
  readonly #retries: RetryQueue;
  readonly #monitor: EndpointMonitor;
  readonly #cursorStore: CursorStore;
  readonly #policy: DeliveryPolicy;
  readonly #sender: Sender;
  #integration: ConfiguredIntegration;
  #lastReadPos: number;
  /** The highest number that this process has read; an earlier process may have read further. */
  #readUpTo: number;
  #lastTickWall: number;

  constructor(runtime: DeliveryRuntime, options: RunnerOptions) {
    const { integration, adapter, state, retryReferences, attemptLog } = options;
    this.#runtime = runtime;
    this.#adapter = adapter;
    this.#attemptLog = attemptLog;
    this.#integration = integration;
    this.#lastReadPos = state.lastReadPos;
    this.#readUpTo = parseCursor(state.position).pos;
    this.#lastTickWall = runtime.clock.now().getTime();
    const { signal } = this.#stopping;
    const integrationID = integration.id;
    // Events with a row in the retry queue are completed for the cursor.
    const doneEarlier = [...state.doneAhead, ...retryReferences.map(({ pos }) => pos)];
    const logReader = runtime.eventLog.reader(integration.applicationID, state.position);
    this.#cursor = new LogCursor(logReader, doneEarlier);
    this.#reader = new EventReader(runtime, this.#cursor, (events) => this.#handleRead(events));
    this.#monitor = new EndpointMonitor(runtime, {
      health: state.health,
      maxInFlight: state.maxInFlight,
      backlog: () => this.#backlog(),
      onChange: (health, before) => this.#handleHealth(health, before),
    });
    this.#retries = new RetryQueue(runtime, {
      integrationID,
      signal,
      attemptLog,
      stored: retryReferences.filter(({ isDead }) => !isDead),
      onSizeChange: () => this.#handleRetryQueueSize(),
    });
    this.#cursorStore = new CursorStore(runtime, {
      integrationID,
      attemptLog,
      stored: state,
      takeSnapshot: () => ({
        position: this.#cursor.position(),
        lastReadPos: this.#lastReadPos,
        doneAhead: this.#cursor.open.doneAhead(),
        revision: this.#integration.revision,
        health: this.#monitor.health,
        isReading: this.#cursor.isReading(),
      }),
    });
    this.#policy = new DeliveryPolicy(runtime, {
      attemptLog,
      open: this.#cursor.open,
      live: this.#live,
      retries: this.#retries,
      monitor: this.#monitor,
      cursorStore: this.#cursorStore,
    });
    this.#sender = new Sender(runtime, {
      adapter,
      signal,
      integration: () => this.#integration,
      live: this.#live,
      retries: this.#retries,
      monitor: this.#monitor,
      isOpen: (event) => this.#cursor.open.has(event),
      isBlocked: ({ devEUI }) => this.#waitsForRetry(devEUI),
      outcomes: this.#policy,
      onRequestEnded: () => this.#handleRequestEnd(),
    });
    this.#pauseReader();
  }

  integration(): ConfiguredIntegration {
    return this.#integration;
  }

  /** Runs periodic work: call it ten times a second. */
  tick(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cursorStore.tick();
    this.#reader.tick();
    const wall = this.#runtime.clock.now().getTime();
    const wasSetBack = wall < this.#lastTickWall - clockJumpMs;
    this.#lastTickWall = wall;
    if (wasSetBack) this.#clearDelays();
    const hasLive = this.#live.promoteDue(wall);
    const hasRetries = this.#retries.queues.promoteDue(wall);
    if (hasLive || hasRetries) this.#schedule();
  }

  /** Call it when events were committed. */
  wake(): void {
    this.#reader.wake();
  }

  snapshot(): RunnerSnapshot {
    const { health, breaker } = this.#monitor;
    const pauseMs = breaker.remainingPauseMs();
    const nextTryAt = pauseMs > 0 ? this.#runtime.clock.now().getTime() + pauseMs : this.#retries.queues.nextDueAt();
    return {
      state: { ...this.#cursorStore.state, health },
      inFlight: this.#sender.inFlight,
      retrying: this.#retries.size,
      oldestAt: this.#cursor.open.oldest()?.event.at,
      nextTryAt: Number.isFinite(nextTryAt) && !this.#monitor.isSuspended ? new Date(nextTryAt) : undefined,
    };
  }

  /** Applies another configuration: keeps the cursor, resets failures, and tries everything at once. */
  configure(integration: ConfiguredIntegration): void {
    this.#integration = integration;
    this.#cursorStore.markDirty();
    this.resume();
  }

  suspend(reason: string): void {
    this.#monitor.suspend(reason);
  }

  resume(): void {
    this.#cursor.open.resetFailures();
    this.#monitor.resume(this.#cursorStore.options.maxInFlight);
    this.#clearDelays();
    this.#reader.wake();
    this.#schedule();
  }

  setOptions(options: DeliveryOptions): void {
    this.#cursorStore.setOptions(options);
    this.#monitor.breaker.lowerLimit(options.maxInFlight);
  }

  /** Retries dead letters whose rows were requeued in the database. */
  requeueDeadLetters(references: readonly RetryReference[]): void {
    failPoint('dead letters requeued');
    this.#retries.requeue(references);
    this.#schedule();
  }

  /** The state of the delivery of an event of its application; `passed` also for events without a delivery. */
  progressOf(event: LoggedEvent): 'passed' | 'waiting' {
    const { open } = this.#cursor;
    const isUnread = event.pos > this.#readUpTo && !open.wasDoneEarlier(event);
    return isUnread || open.has(event) ? 'waiting' : 'passed';
  }

  /** Resolves when all changes before the call are on disk. @throws when the storage is unavailable */
  store(): Promise<void> {
    return this.#cursorStore.store();
  }

  /** Sends nothing more, waits for the requests in flight, at most 2.5 s, and stores the cursor. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#reader.setPaused('stopped', true);
    if (this.#sender.inFlight > 0 || this.#reader.isReading) {
      const idle = Promise.all([this.#sender.idle(), this.#reader.idle()]);
      const timeout = new Promise<void>((resolve) => void this.#runtime.clock.after(stopTimeoutMs, resolve));
      await Promise.race([idle, timeout]);
    }
    await this.#cursorStore.close();
  }

  #handleRead(events: readonly LoggedEvent[]): void {
    const { open } = this.#cursor;
    const expired: LoggedEvent[] = [];
    for (const event of events) {
      this.#lastReadPos = Math.max(this.#lastReadPos, event.pos);
      this.#readUpTo = Math.max(this.#readUpTo, event.pos);
      if (!delivers(this.#adapter, this.#integration, event.type) || open.skipIfDone(event))
        this.#cursorStore.countCompleted(1);
      else if (isExpired(this.#runtime, event.at)) expired.push(event);
      else this.#enqueue(open.add(event));
    }
    if (events.length > 0) this.#cursorStore.markDirty();
    this.#policy.noteExpired(expired);
    failPoint('events read');
    this.#schedule();
  }

  #enqueue(queued: QueuedEvent): void {
    const { devEUI } = queued.event;
    // The sender first moves the live events of the device to the retry queue.
    const hasLive = (this.#live.find(devEUI)?.events.length ?? 0) > 0;
    if (!hasLive && this.#waitsForRetry(devEUI)) void this.#policy.handleBlocked([queued]);
    else this.#live.push(queued);
  }

  /** Whether the later events of a device must wait for one in the retry queue. */
  #waitsForRetry(devEUI: string): boolean {
    return this.#cursorStore.options.keepOrder && this.#retries.has(devEUI);
  }

  #handleRequestEnd(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cursorStore.storeIfMany();
    this.#reader.continue();
    this.#schedule();
  }

  #handleRetryQueueSize(): void {
    this.#pauseReader();
    this.#monitor.reevaluate();
  }

  #handleHealth(health: Health, before: Health): void {
    this.#cursorStore.markDirty();
    if (health.state === before.state) return;
    const { state, reason } = health;
    this.#attemptLog.addNote('STATE', `${state.toLowerCase()}${reason === '' ? '' : `: ${reason}`}`);
    const { id, kind } = this.#integration;
    this.#runtime.log.info({ integration: id, kind, state }, 'the health of an integration changed');
    this.#pauseReader();
  }

  #pauseReader(): void {
    this.#reader.setPaused('suspended', this.#monitor.isSuspended);
    this.#reader.setPaused('retry queue full', this.#retries.isFull);
  }

  #backlog() {
    const { open } = this.#cursor;
    const areAllInFlight = this.#sender.liveEventsInFlight >= open.size;
    return { retrying: this.#retries.size, oldestAt: areAllInFlight ? undefined : open.oldest()?.event.at };
  }

  #clearDelays(): void {
    this.#live.clearDelays();
    this.#retries.queues.clearDelays();
    this.#schedule();
  }

  #schedule(): void {
    this.#runtime.scheduler.schedule(this.#sender);
  }
}
