import type { LoggedEvent } from '../event-log/event-log.ts';
import type { AttemptLog } from './attempt-log.ts';
import { retryDelayMs } from './back-off.ts';
import type { CursorStore } from './cursor-store.ts';
import type { DeviceQueue, DeviceQueues, QueuedEvent } from './device-queues.ts';
import type { EndpointMonitor } from './endpoint-monitor.ts';
import type { OpenEvents } from './open-events.ts';
import type { RetryQueue, RetryReason } from './retry-queue.ts';
import type { RetryRow } from './retry-rows.ts';
import type { DeliveryRuntime } from './runtime.ts';
import type { OutcomeHandler, RetryOutcome, SendOutcome } from './sender.ts';

interface PolicyParts {
  open: OpenEvents;
  live: DeviceQueues;
  retries: RetryQueue;
  monitor: EndpointMonitor;
  attemptLog: AttemptLog;
  cursorStore: CursorStore;
}

/** An event that fails this often while the endpoint accepts others goes to the retry queue. */
const maxSoleFailures = 3;

/** Decides about events and the endpoint after each attempt. */
export class DeliveryPolicy implements OutcomeHandler {
  readonly #runtime: Pick<DeliveryRuntime, 'clock' | 'random'>;
  readonly #parts: PolicyParts;

  constructor(runtime: Pick<DeliveryRuntime, 'clock' | 'random'>, parts: PolicyParts) {
    this.#runtime = runtime;
    this.#parts = parts;
  }

  handleExpired(events: readonly QueuedEvent[]): void {
    this.noteExpired(events.map(({ event }) => event));
    for (const queued of events) this.#complete(queued);
  }

  /** With `keepOrder`, live events follow an earlier event of their device into the retry queue. */
  async handleBlocked(events: readonly QueuedEvent[]): Promise<void> {
    const reason = { status: 0, message: 'Waits for an earlier event of its device.' };
    const byDevice = Map.groupBy(events, ({ event }) => event.devEUI);
    await Promise.all([...byDevice].map(([devEUI, blocked]) => this.#addToRetryQueue(devEUI, blocked, reason)));
  }

  /** Events, the oldest first, that are not sent because of their age. */
  noteExpired(events: readonly LoggedEvent[]): void {
    const [oldest] = events;
    if (!oldest) return;
    const [from, to] = [oldest, events.at(-1)!].map(({ at }) => at.toISOString());
    const which = events.length === 1 ? `1 event of ${from}` : `${events.length} events from ${from} to ${to}`;
    this.#parts.attemptLog.addNote('EXPIRED', `${which} expired: they had waited too long.`, undefined, events.length);
    this.#parts.cursorStore.countCompleted(events.length);
  }

  async handleSent(outcome: SendOutcome): Promise<void> {
    const { attemptLog, monitor, cursorStore } = this.#parts;
    const { events, result, startedAt } = outcome;
    const { error } = result;
    const [first] = events;
    if (!error) {
      for (const queued of events) attemptLog.addAttempt('DELIVERED', labelOf(queued), result, monitor.breaker.isOpen);
      for (const queued of events) this.#complete(queued);
      monitor.recordSuccess(cursorStore.options.maxInFlight);
    } else if (!first) return;
    else if (error.fault === 'event') await this.#handleRefused(first, outcome);
    else if (error.fault === 'gone') {
      attemptLog.addAttempt('RETRIED', labelOf(first), result, true);
      monitor.suspend(error.message);
    } else if (this.#isSoleFailure(outcome)) await this.#handleSoleFailure(first, outcome);
    else {
      attemptLog.addAttempt('RETRIED', labelOf(first), result, monitor.breaker.countFailureForLog());
      monitor.recordEndpointFailure(error, startedAt);
    }
  }

  /** Handles a refused event, and one that the adapter could not write (no status), which is not retried. */
  async #handleRefused(queued: QueuedEvent, { result }: SendOutcome): Promise<void> {
    const { attemptLog, monitor, retries } = this.#parts;
    const { status, message } = result.error!;
    const delayMs = status === undefined ? undefined : retryDelayMs('refused', 1, this.#runtime.random);
    monitor.breaker.recordResponse();
    monitor.noteProblem(message);
    attemptLog.addAttempt(delayMs === undefined ? 'DEAD' : 'PARKED', labelOf(queued), result, true);
    if (delayMs !== undefined) await this.#moveToRetryQueue(queued, reasonOf(result), delayMs);
    else if (await retries.addDeadLetter(queued, reasonOf(result))) this.#complete(queued);
    monitor.reevaluate();
  }

  /** A first failure after a response may be caused by the event: the circuit breaker stays closed. */
  #isSoleFailure({ events, result }: SendOutcome): boolean {
    const { breaker } = this.#parts.monitor;
    const isFirstFailure = breaker.recordConsecutiveFailure();
    return isFirstFailure && !breaker.isOpen && events.length === 1 && result.error!.retryAfterMs === undefined;
  }

  async #handleSoleFailure(queued: QueuedEvent, { result, startedAt }: SendOutcome): Promise<void> {
    const { attemptLog, monitor, live } = this.#parts;
    const { clock, random } = this.#runtime;
    monitor.recordEventFailure(result.error!);
    queued.soleFailures += 1;
    if (queued.soleFailures >= maxSoleFailures) {
      attemptLog.addAttempt('PARKED', labelOf(queued), result, true);
      await this.#moveToRetryQueue(queued, reasonOf(result), retryDelayMs('failed', 1, random)!);
    } else {
      attemptLog.addAttempt('RETRIED', labelOf(queued), result, queued.soleFailures === 1);
      live.findOrCreate(queued.event.devEUI).notBefore = clock.now().getTime() + 1000 * queued.soleFailures;
    }
    monitor.markFailing(startedAt);
  }

  /** With `keepOrder`, the later events of the device follow into the retry queue. */
  async #moveToRetryQueue(queued: QueuedEvent, reason: RetryReason, delayMs: number): Promise<void> {
    const { live, cursorStore } = this.#parts;
    const { devEUI } = queued.event;
    const events = cursorStore.options.keepOrder ? [...live.findOrCreate(devEUI).events] : [queued];
    const nextAt = new Date(this.#runtime.clock.now().getTime() + delayMs);
    await this.#addToRetryQueue(devEUI, events, reason, nextAt);
  }

  async #addToRetryQueue(
    devEUI: string,
    events: readonly QueuedEvent[],
    reason: RetryReason,
    nextAt?: Date,
  ): Promise<void> {
    if (await this.#parts.retries.add(devEUI, events, reason, nextAt))
      for (const queued of events) this.#complete(queued);
  }

  async handleExpiredRetry(queue: DeviceQueue, row: RetryRow): Promise<void> {
    const message = `Too old: ${row.message}`;
    this.#parts.attemptLog.addNote('DEAD', message, row.event, 1);
    await this.#parts.retries.moveToDeadLetters(queue, { ...row, message });
  }

  async handleRetried(outcome: RetryOutcome): Promise<void> {
    const { attemptLog, monitor, retries, cursorStore } = this.#parts;
    const { queue, row, result, startedAt } = outcome;
    const { error } = result;
    const label = { event: row.event, attempt: row.attempts + 1 };
    if (!error) {
      attemptLog.addAttempt('DELIVERED', label, result, true);
      await retries.complete(queue, row);
      monitor.recordSuccess(cursorStore.options.maxInFlight);
      return;
    }
    if (error.fault === 'gone' || (error.fault === 'endpoint' && monitor.breaker.isOpen)) {
      // The endpoint accepts no other event either: the failure does not count for this one.
      attemptLog.addAttempt('RETRIED', label, result, monitor.breaker.countFailureForLog());
      if (error.fault === 'gone') monitor.suspend(error.message);
      else monitor.recordEndpointFailure(error, startedAt);
      retries.delay(queue, retryDelayMs('failed', 1, this.#runtime.random)!);
      return;
    }
    await this.#retryAgain(outcome);
    if (error.fault === 'event') monitor.breaker.recordResponse();
    // A second failure without a response in between is caused by the endpoint.
    else if (!monitor.breaker.recordConsecutiveFailure()) monitor.recordEndpointFailure(error, startedAt);
  }

  /** Handles a failed retry: the event waits longer, or becomes a dead letter. */
  async #retryAgain({ queue, row, result }: RetryOutcome): Promise<void> {
    const { attemptLog, monitor, retries } = this.#parts;
    const { fault, status, message } = result.error!;
    const failed: RetryRow = {
      ...row,
      attempts: row.attempts + 1,
      failures: row.failures + 1,
      doneParts: result.doneParts,
      status: status ?? 0,
      message,
    };
    const reason = fault === 'event' ? 'refused' : 'failed';
    const isHopeless = fault === 'event' && status === undefined;
    const delayMs = isHopeless ? undefined : retryDelayMs(reason, Math.max(failed.failures, 1), this.#runtime.random);
    const label = { event: row.event, attempt: failed.attempts };
    if (delayMs === undefined) {
      attemptLog.addAttempt('DEAD', label, result, true);
      await retries.moveToDeadLetters(queue, failed);
      return;
    }
    attemptLog.addAttempt('RETRIED', label, result, true);
    monitor.noteProblem(message);
    await retries.postpone(queue, { ...failed, nextAt: new Date(this.#runtime.clock.now().getTime() + delayMs) });
  }

  #complete(queued: QueuedEvent): void {
    const { open, live, cursorStore } = this.#parts;
    if (!open.complete(queued)) return;
    live.remove(queued);
    cursorStore.countCompleted(1);
  }
}

const labelOf = ({ event, attempts }: QueuedEvent) => ({ event, attempt: attempts });

const reasonOf = ({ status, error }: SendOutcome['result']): RetryReason => ({ status, message: error?.message ?? '' });
