import type { LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import { type ConfiguredIntegration, delivers } from '../integrations/integration.ts';
import type { AnyAdapter, AttemptResult } from './attempt.ts';
import { breakerPauseMs } from './back-off.ts';
import { type DeviceQueue, DeviceQueues } from './device-queues.ts';
import { LogCursor } from './log-cursor.ts';
import { type Replay, saveReplay } from './replay-rows.ts';
import type { RequestSource } from './request-scheduler.ts';
import { type DeliveryRuntime, stopTimeoutMs } from './runtime.ts';
import { SingleFlight } from './single-flight.ts';

interface ReplayRunnerOptions {
  replay: Replay;
  adapter: AnyAdapter;
  integration: () => ConfiguredIntegration;
  isSuspended: () => boolean;
  /** A replayed event was delivered, or refused for good. */
  onAttempt: (label: { event: LoggedEvent; attempt: number }, result: AttemptResult) => void;
}

const maxInFlight = 8;
const pageSize = 256;
const storeIntervalMs = 1000;
/** The times of events can differ from the order of the log by this much. */
const maxDisorderMs = 10_000;

/** Sends events of the log once more, concurrently with live ones and with lower priority. */
export class ReplayRunner implements RequestSource {
  readonly #runtime: DeliveryRuntime;
  readonly #options: ReplayRunnerOptions;
  readonly #queues = new DeviceQueues();
  readonly #cursor: LogCursor;
  readonly #writes = new SingleFlight(() => this.#write());
  #replay: Replay;
  #isReading = false;
  #hasReadAll = false;
  #isStopped = false;
  #inFlight = 0;
  /** Consecutive failures of the endpoint. */
  #failures = 0;
  #pausedUntil = 0;
  #isDirty = false;
  #storedAt: number;
  #onIdle: (() => void) | undefined;

  constructor(runtime: DeliveryRuntime, options: ReplayRunnerOptions) {
    const { replay, integration } = options;
    this.#runtime = runtime;
    this.#options = options;
    this.#replay = replay;
    this.#storedAt = runtime.clock.monotonicMs();
    const reader = runtime.eventLog.reader(integration().applicationID, replay.position);
    this.#cursor = new LogCursor(reader, replay.doneAhead);
  }

  tick(): void {
    if (this.#isStopped) return;
    const isDue = this.#runtime.clock.monotonicMs() - this.#storedAt >= storeIntervalMs;
    if (isDue && (this.#isDirty || this.#isComplete())) void this.#writes.run();
    void this.#read();
    this.#schedule();
  }

  snapshot(): Replay {
    return this.#replay;
  }

  /** Sends nothing more. Requests in flight may still arrive. */
  async cancel(): Promise<void> {
    this.#isStopped = true;
    await this.#writes.settled();
    if (this.#replay.state === 'RUNNING') this.#replay = { ...this.#replay, state: 'CANCELLED' };
    await saveReplay(this.#runtime.database, this.#replay);
  }

  /** Stops until this or another process resumes the replay. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const idle = this.#inFlight === 0 || new Promise<void>((resolve) => (this.#onIdle = resolve));
    const timeout = new Promise<void>((resolve) => void this.#runtime.clock.after(stopTimeoutMs, resolve));
    await Promise.race([idle, timeout]);
    await this.#writes.settled();
    if (this.#isDirty) await this.#writes.run();
  }

  /** Replays share the permits of degraded integrations. */
  isDegraded(): boolean {
    return true;
  }

  next(): (() => Promise<void>) | undefined {
    const limit = this.#failures > 0 ? 1 : maxInFlight;
    const isPaused = this.#runtime.clock.monotonicMs() < this.#pausedUntil;
    if (this.#isStopped || this.#options.isSuspended() || isPaused || this.#inFlight >= limit) return undefined;
    const queue = this.#queues.acquire();
    if (!queue) return undefined;
    this.#inFlight += 1;
    return () => this.#send(queue);
  }

  async #read(): Promise<void> {
    const { open } = this.#cursor;
    if (this.#isReading || this.#hasReadAll || this.#isStopped || open.size >= pageSize || open.capacity() <= 0) return;
    this.#isReading = true;
    try {
      await this.#cursor.readNext(pageSize, (events) => this.#handleRead(events));
      this.#schedule();
    } catch (error) {
      this.#runtime.log.debug({ err: error }, 'reading events of a replay failed; retrying');
    } finally {
      this.#isReading = false;
    }
  }

  #handleRead(events: readonly LoggedEvent[]): void {
    const { open } = this.#cursor;
    this.#isDirty = true;
    for (const event of events)
      if (this.#isSelected(event) && !open.skipIfDone(event)) this.#queues.push(open.add(event));
    const last = events.at(-1);
    this.#hasReadAll = !last || last.at.getTime() > this.#replay.to.getTime() + maxDisorderMs;
  }

  #isSelected({ at, devEUI, type }: LoggedEvent): boolean {
    const { from, to, devEUI: device, types } = this.#replay;
    return (
      at >= from &&
      at <= to &&
      (device === '' || device === devEUI) &&
      (types.length === 0 || types.includes(type)) &&
      delivers(this.#options.adapter, this.#options.integration(), type)
    );
  }

  async #send(queue: DeviceQueue): Promise<void> {
    const { adapter, integration, onAttempt } = this.#options;
    const queued = queue.events[0]!;
    const { event } = queued;
    queued.attempts += 1;
    const result = await this.#runtime.attempt({
      integration: integration(),
      adapter,
      events: [event],
      attempt: queued.attempts,
      doneParts: queued.doneParts,
      replayID: this.#replay.id,
    });
    queued.doneParts = result.doneParts;
    const { error, isInternal } = result;
    if (isInternal || (error && error.fault !== 'event')) this.#pause(error?.retryAfterMs);
    else {
      this.#failures = 0;
      this.#queues.remove(queued);
      this.#cursor.open.complete(queued);
      const counter = error ? 'failed' : 'sent';
      this.#replay = { ...this.#replay, [counter]: this.#replay[counter] + 1 };
      this.#isDirty = true;
      onAttempt({ event, attempt: queued.attempts }, result);
      failPoint('event replayed');
    }
    this.#inFlight -= 1;
    this.#queues.release(queue);
    if (this.#inFlight === 0) this.#onIdle?.();
    void this.#read();
    this.#schedule();
  }

  #pause(retryAfterMs: number | undefined): void {
    this.#failures += 1;
    const pauseMs = retryAfterMs ?? breakerPauseMs(this.#failures, this.#runtime.random);
    this.#pausedUntil = this.#runtime.clock.monotonicMs() + pauseMs;
  }

  #isComplete(): boolean {
    return this.#hasReadAll && this.#cursor.open.size === 0;
  }

  async #write(): Promise<void> {
    const { database, clock, log } = this.#runtime;
    const isDone = this.#isComplete() && this.#replay.state === 'RUNNING';
    const next: Replay = {
      ...this.#replay,
      position: this.#cursor.position(),
      doneAhead: this.#cursor.open.doneAhead(),
      state: isDone ? 'DONE' : this.#replay.state,
    };
    this.#isDirty = this.#cursor.isReading();
    this.#storedAt = clock.monotonicMs();
    try {
      await saveReplay(database, next);
      failPoint('replay stored');
      this.#replay = { ...this.#replay, position: next.position, state: next.state };
      if (isDone) this.#isStopped = true;
    } catch (error) {
      this.#isDirty = true;
      log.debug({ err: error }, 'storing a replay failed; retrying');
    }
  }

  #schedule(): void {
    this.#runtime.scheduler.scheduleLowPriority(this);
  }
}
