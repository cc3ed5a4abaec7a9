/**
 * Delivery sends the events of the event log to integrations: at least once, in the order of each device, unless an event gets
 * older than `deliveryMaxAge` (24 h): then it expires with a note in the attempt log.
 *
 * `DeliveryEngine` (this file) owns the timers. Its `RunnerRegistry` keeps one `IntegrationRunner` for each configured
 * integration in the lease slots of this instance. A runner connects these parts:
 *
 * - `EventReader` reads the event log ahead, into `OpenEvents` (read, not completed) and one `DeviceQueue` per device.
 * - `Sender` builds requests when `RequestScheduler` has a permit; `createAttempt` runs them through the adapter of the kind.
 * - `DeliveryPolicy` gets each outcome and decides. A refused event, or one on which the endpoint fails three times while it
 *   accepts others, goes to the `RetryQueue`. The events of a failed batch are sent again one by one, which shows the failing
 *   one. A refused event is retried three times and then becomes a dead letter; one that fails is retried, at last hourly,
 *   until it is too old. One that the adapter cannot write becomes a dead letter at once. With `keepOrder` the later events
 *   of the device follow into the retry queue. Users can requeue dead letters.
 * - `EndpointMonitor` evaluates the health. Its `CircuitBreaker` opens when the endpoint fails: the cursor stands still, and
 *   one request at a time tests the endpoint after growing pauses. Three days of failure, or a status 410, suspend the
 *   integration until a user resumes it.
 * - `CursorStore` writes the cursor (log position and the events completed ahead of it), the health and the `AttemptLog`.
 *
 * Durable are the event log, the cursor, the retry queue, dead letters, replays, health, options and the attempt log. A killed
 * process repeats what it delivered since the last store (normally 200 ms, longer while the storage is slow; replays 1 s). A
 * stop repeats only requests that do not end within 2.5 s. While the storage is unavailable, writes to the retry queue are
 * repeated; the request keeps its permit and its device waits. Successful live deliveries go on and are remembered in memory.
 * A `ReplayRunner` sends a time range of the log once more, at the same time as the live events.
 */
import { randomUUID } from 'node:crypto';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import type { ActiveIntegration } from './active-integration.ts';
import type { AttemptResult } from './attempt.ts';
import { deleteOldDeadLetters } from './dead-letter-cleanup.ts';
import { deleteDeadLetters } from './dead-letter-rows.ts';
import type { DeliveryDependencies } from './delivery-dependencies.ts';
import { registerDeliveryMetrics } from './delivery-metrics.ts';
import { allSlots } from './lease-slots.ts';
import { insertReplay, type Replay, type ReplayRange, readReplays } from './replay-rows.ts';
import { RequestScheduler } from './request-scheduler.ts';
import { RunnerRegistry } from './runner-registry.ts';
import type { DeliveryRuntime } from './runtime.ts';
import { storedPositions } from './state-rows.ts';

export interface Delivery {
  /** Delivers to the integrations in these lease slots; in a single process, to all. A stopped slot can start again. */
  start(slots?: readonly number[]): Promise<void>;
  stop(slots?: readonly number[]): Promise<void>;
  /** The integrations that this instance delivers to: of an application, or the global ones when undefined. */
  listOfApplication(applicationID: number | undefined): ActiveIntegration[];
  listAll(): ActiveIntegration[];
  find(applicationID: number | undefined, kind: string): ActiveIntegration | undefined;
  /** Continues after the newest event and deletes the retry queue. Concurrent calls share one move. */
  resumeFromNow(active: ActiveIntegration): Promise<void>;
  /** Sends one event at once, outside the queues. A dead letter is deleted when it was delivered. */
  resend(active: ActiveIntegration, event: LoggedEvent): Promise<AttemptResult>;
  /** Replays events that happened before the call. Undefined while another replay of the integration runs. */
  startReplay(active: ActiveIntegration, range: ReplayRange, events: number): Promise<Replay | undefined>;
  listReplays(active: ActiveIntegration): Promise<Replay[]>;
  cancelReplay(active: ActiveIntegration, id: string): Promise<boolean>;
  isReplaying(active: ActiveIntegration): boolean;
  /** Reads the configured integrations. */
  refresh(): Promise<void>;
}

const tickMs = 100;
const cleanupIntervalMs = 60_000;
/** All degraded integrations together hold at most a quarter of the permits. */
const maxFractionOfDegraded = 1 / 4;

export const createDelivery = (dependencies: DeliveryDependencies): Delivery => new DeliveryEngine(dependencies);

class DeliveryEngine implements Delivery {
  readonly #dependencies: DeliveryDependencies;
  readonly #registry: RunnerRegistry;
  /** Integrations whose replay is being created. */
  readonly #startingReplays = new Set<number>();
  #subscription: Promise<() => void> | undefined;
  #cleanedUpAt: number;
  #cancelTick: () => void = () => undefined;

  constructor(dependencies: DeliveryDependencies) {
    const { eventLog, database, metrics, clock, maxInFlight, random = Math.random } = dependencies;
    this.#dependencies = dependencies;
    const maxDegradedInFlight = Math.ceil(maxInFlight * maxFractionOfDegraded);
    const scheduler = new RequestScheduler({ maxInFlight, maxDegradedInFlight });
    const runtime: DeliveryRuntime = { ...dependencies, scheduler, random };
    this.#registry = new RunnerRegistry(dependencies, runtime);
    this.#cleanedUpAt = clock.monotonicMs();
    // The log must retain the events after the cursors of all instances.
    eventLog.retain(() => storedPositions(database));
    registerDeliveryMetrics(metrics, clock, () => this.#registry.all());
  }

  async start(slots: readonly number[] = allSlots): Promise<void> {
    this.#registry.addSlots(slots);
    await this.#subscribe();
    await this.refresh();
    this.#cancelTick();
    this.#scheduleTick();
  }

  async stop(slots: readonly number[] = allSlots): Promise<void> {
    const stopped = this.#registry.removeSlots(slots);
    if (!this.#registry.hasSlots) this.#cancelTick();
    await stopped;
    if (!this.#registry.hasSlots) this.#unsubscribe();
  }

  listAll(): ActiveIntegration[] {
    return this.#registry.all();
  }

  listOfApplication(applicationID: number | undefined): ActiveIntegration[] {
    return this.listAll().filter(({ runner }) => runner.integration().applicationID === applicationID);
  }

  find(applicationID: number | undefined, kind: string): ActiveIntegration | undefined {
    return this.listOfApplication(applicationID).find(({ runner }) => runner.integration().kind === kind);
  }

  resumeFromNow({ id }: ActiveIntegration): Promise<void> {
    return this.#registry.moveToEnd(id);
  }

  async resend({ id, runner, adapter, attemptLog }: ActiveIntegration, event: LoggedEvent): Promise<AttemptResult> {
    const { attempt, database } = this.#dependencies;
    const integration = runner.integration();
    const result = await attempt({ integration, adapter, events: [event], attempt: 1, doneParts: [] });
    if (result.isInternal) return result;
    attemptLog.addAttempt('REPLAYED', { event, attempt: 1 }, result, true);
    if (!result.error) await deleteDeadLetters(database, id, [event.id]);
    return result;
  }

  async startReplay(active: ActiveIntegration, range: ReplayRange, events: number): Promise<Replay | undefined> {
    const { id } = active;
    if (this.isReplaying(active)) return undefined;
    this.#startingReplays.add(id);
    try {
      const replay = await this.#insertReplay(id, range, events);
      const running = this.#registry.get(id);
      if (running) this.#registry.startReplay(running, replay).tick();
      return replay;
    } finally {
      this.#startingReplays.delete(id);
    }
  }

  async #insertReplay(integrationID: number, range: ReplayRange, events: number): Promise<Replay> {
    const { eventLog, clock, database } = this.#dependencies;
    const position = await eventLog.positionAt(range.from);
    const createdAt = clock.now();
    const replay: Replay = {
      ...range,
      to: range.to < createdAt ? range.to : createdAt,
      id: randomUUID(),
      integrationID,
      position,
      state: 'RUNNING',
      events,
      sent: 0,
      failed: 0,
      doneAhead: [],
      createdAt,
    };
    await insertReplay(database, replay);
    failPoint('replay created');
    return replay;
  }

  async listReplays({ id }: ActiveIntegration): Promise<Replay[]> {
    const rows = await readReplays(this.#dependencies.database, id);
    return rows.map((row) => this.#registry.get(id)?.replays.get(row.id)?.snapshot() ?? row);
  }

  async cancelReplay({ id }: ActiveIntegration, replayID: string): Promise<boolean> {
    const replay = this.#registry.get(id)?.replays.get(replayID);
    await replay?.cancel();
    return replay !== undefined;
  }

  isReplaying({ id }: ActiveIntegration): boolean {
    const replays = [...(this.#registry.get(id)?.replays.values() ?? [])];
    return this.#startingReplays.has(id) || replays.some((replay) => replay.snapshot().state === 'RUNNING');
  }

  refresh(): Promise<void> {
    return this.#registry.refresh();
  }

  /** Subscribes to changes of integrations, when the first slot starts. */
  async #subscribe(): Promise<void> {
    const { steadyTime, bus } = this.#dependencies;
    this.#subscription ??= steadyTime
      .moveOn()
      .then(() => bus.subscribe('integration-changed', '', () => void this.refresh()));
    await this.#subscription.catch((error: unknown) => {
      this.#subscription = undefined;
      throw error;
    });
  }

  #unsubscribe(): void {
    void this.#subscription?.then((unsubscribe) => unsubscribe()).catch(() => undefined);
    this.#subscription = undefined;
  }

  #tick(): void {
    this.#registry.tick();
    this.#cleanUpIfDue();
    if (this.#registry.hasSlots) this.#scheduleTick();
  }

  #scheduleTick(): void {
    this.#cancelTick = this.#dependencies.clock.after(tickMs, () => this.#tick());
  }

  #cleanUpIfDue(): void {
    const { database, clock, steadyTime, metrics, log } = this.#dependencies;
    const ids = this.#registry.all().map(({ id }) => id);
    const now = clock.monotonicMs();
    if (ids.length === 0 || now - this.#cleanedUpAt < cleanupIntervalMs) return;
    this.#cleanedUpAt = now;
    deleteOldDeadLetters(database, ids, new Date(steadyTime.now()))
      .then((count) => count > 0 && metrics.count('dead_letters_dropped', {}, count))
      .catch((error: unknown) => log.debug({ err: error }, 'deleting old dead letters failed; retrying'));
  }
}
