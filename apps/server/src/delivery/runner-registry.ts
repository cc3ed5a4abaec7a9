import type { LogPosition } from '../event-log/event-log.ts';
import type { ConfiguredIntegration } from '../integrations/integration.ts';
import type { ActiveIntegration } from './active-integration.ts';
import type { AnyAdapter } from './attempt.ts';
import { StoredAttemptLog } from './attempt-log.ts';
import { nextLineNumber } from './attempt-rows.ts';
import type { DeliveryDependencies } from './delivery-dependencies.ts';
import { healthy } from './health.ts';
import { slotOf } from './lease-slots.ts';
import type { Replay } from './replay-rows.ts';
import { readReplays } from './replay-rows.ts';
import { ReplayRunner } from './replay-runner.ts';
import { deleteAllButDeadLetters, readRetryAndDeadLetterReferences } from './retry-rows.ts';
import { IntegrationRunner } from './runner.ts';
import type { DeliveryRuntime } from './runtime.ts';
import { type DeliveryState, loadState, saveState } from './state-rows.ts';

/** An integration with a running runner, and its replays by id. */
export interface RunningIntegration extends ActiveIntegration {
  readonly replays: Map<string, ReplayRunner>;
  /** Unsubscribes from the event log. */
  readonly unsubscribe: () => void;
}

const refreshIntervalMs = 30_000;
const refreshRetryMs = 1000;

/** Runs one runner for each configured integration in the slots of this instance. */
export class RunnerRegistry {
  readonly #dependencies: DeliveryDependencies;
  readonly #runtime: DeliveryRuntime;
  readonly #slots = new Set<number>();
  readonly #running = new Map<number, RunningIntegration>();
  /** Integrations whose runner is being replaced by `moveToEnd`: nothing else starts one. */
  readonly #moves = new Map<number, Promise<void>>();
  #isStale = true;
  #refresh: Promise<void> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: DeliveryDependencies, runtime: DeliveryRuntime) {
    this.#dependencies = dependencies;
    this.#runtime = runtime;
  }

  all(): RunningIntegration[] {
    return [...this.#running.values()];
  }

  get(id: number): RunningIntegration | undefined {
    return this.#running.get(id);
  }

  get hasSlots(): boolean {
    return this.#slots.size > 0;
  }

  addSlots(slots: readonly number[]): void {
    for (const slot of slots) this.#slots.add(slot);
  }

  async removeSlots(slots: readonly number[]): Promise<void> {
    for (const slot of slots) this.#slots.delete(slot);
    await this.#refresh;
    const removed = this.all().filter(({ runner }) => !this.#isInSlots(runner.integration()));
    await Promise.all(removed.map((running) => this.#stop(running)));
  }

  tick(): void {
    for (const { runner, replays } of this.#running.values()) {
      runner.tick();
      for (const replay of replays.values()) replay.tick();
    }
    if (this.#runtime.clock.monotonicMs() - this.#refreshedAt >= refreshIntervalMs) void this.refresh();
  }

  /** Starts, reconfigures and stops runners according to the configuration; again after a refresh under way. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#refresh ??= this.#refreshWhileStale().finally(() => {
      this.#refresh = undefined;
    });
    return this.#refresh;
  }

  async #refreshWhileStale(): Promise<void> {
    const { clock, log } = this.#runtime;
    while (this.#isStale && this.hasSlots) {
      this.#isStale = false;
      this.#refreshedAt = clock.monotonicMs();
      try {
        const configured = await this.#dependencies.loadIntegrations();
        const ids = new Set(configured.map(({ id }) => id));
        for (const running of this.all()) if (!ids.has(running.id)) await this.#remove(running);
        for (const integration of configured) if (this.#isInSlots(integration)) await this.#apply(integration);
      } catch (error) {
        log.warn({ err: error }, 'integrations could not be read; retrying');
        this.#refreshedAt = clock.monotonicMs() - refreshIntervalMs + refreshRetryMs;
        return;
      }
    }
  }

  #isInSlots({ applicationID }: ConfiguredIntegration): boolean {
    return this.#slots.has(slotOf(applicationID));
  }

  async #apply(integration: ConfiguredIntegration): Promise<void> {
    const adapter = this.#dependencies.adapters[integration.kind];
    if (!adapter || this.#moves.has(integration.id)) return;
    const running = this.#running.get(integration.id);
    if (!running) await this.#start(integration, adapter);
    else if (running.runner.integration().revision !== integration.revision) running.runner.configure(integration);
  }

  async #start(integration: ConfiguredIntegration, adapter: AnyAdapter): Promise<void> {
    const { database, eventLog, clock } = this.#runtime;
    const { id } = integration;
    const stored = await loadState({ database, eventLog }, integration, clock.now());
    if (!stored) return;
    const attemptLog = new StoredAttemptLog({
      ...this.#dependencies,
      id,
      kind: integration.kind,
      nextLineNumber: await nextLineNumber(database, id),
      now: () => clock.now(),
    });
    const runner = new IntegrationRunner(this.#runtime, {
      integration,
      adapter,
      attemptLog,
      state: this.#initialState(stored, integration, adapter),
      retryReferences: await readRetryAndDeadLetterReferences(database, id),
    });
    const unsubscribe = eventLog.onAppend(integration.applicationID, () => runner.wake());
    const running = { id, runner, adapter, attemptLog, unsubscribe, replays: new Map<string, ReplayRunner>() };
    this.#running.set(id, running);
    for (const replay of await readReplays(database, id))
      if (replay.state === 'RUNNING') this.startReplay(running, replay);
    runner.wake();
  }

  /**
   * A change of the configuration ends a suspension. A discontinued kind still reads the log, so that the log need not
   * retain events for it.
   */
  #initialState(
    stored: DeliveryState,
    { revision }: ConfiguredIntegration,
    { discontinued }: AnyAdapter,
  ): DeliveryState {
    if (stored.revision === revision && discontinued === undefined) return stored;
    return { ...stored, health: healthy(this.#runtime.clock.now()) };
  }

  async #remove(running: RunningIntegration): Promise<void> {
    await this.#stop(running);
    await this.#dependencies.statistics.remove([`integration:${running.id}`]);
  }

  async #stop(running: RunningIntegration): Promise<void> {
    this.#running.delete(running.id);
    await stopRunning(running);
  }

  /** Replaces the runner by one that continues at the end of the log, and deletes the retry queue. */
  async moveToEnd(id: number): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    const move = this.#moves.get(id) ?? this.#moveToEnd(running);
    this.#moves.set(id, move);
    // The refreshes during the move have skipped this integration.
    await move.finally(() => this.refresh());
  }

  async #moveToEnd(running: RunningIntegration): Promise<void> {
    const { id, adapter, runner } = running;
    try {
      // Users see the old runner until the new one has started.
      await stopRunning(running);
      await this.#storePositionAtEnd(id, runner.snapshot().state, await this.#runtime.eventLog.end());
      if (this.#running.get(id) === running) await this.#start(runner.integration(), adapter);
    } finally {
      this.#moves.delete(id);
      // After a failure the next refresh starts a runner.
      if (this.#running.get(id) === running) this.#running.delete(id);
    }
    this.#running.get(id)?.attemptLog.addNote('STATE', 'healthy: continues from now, and waiting events were deleted');
  }

  async #storePositionAtEnd(id: number, state: DeliveryState, position: LogPosition): Promise<void> {
    const { database, clock } = this.#runtime;
    const now = clock.now();
    await database.transaction(async () => {
      await saveState(database, id, { ...state, position, fromAt: now, health: healthy(now) });
      await deleteAllButDeadLetters(database, id);
    });
  }

  startReplay(running: RunningIntegration, replay: Replay): ReplayRunner {
    const { runner, adapter, attemptLog, replays } = running;
    const replayRunner = new ReplayRunner(this.#runtime, {
      replay,
      adapter,
      integration: () => runner.integration(),
      isSuspended: () => runner.snapshot().state.health.state === 'SUSPENDED',
      onAttempt: (label, result) => attemptLog.addAttempt('REPLAYED', label, result, result.error !== undefined),
    });
    // The rows of ended replays are sufficient.
    for (const [id, other] of replays) if (other.snapshot().state !== 'RUNNING') replays.delete(id);
    replays.set(replay.id, replayRunner);
    return replayRunner;
  }
}

async function stopRunning({ unsubscribe, replays, runner }: RunningIntegration): Promise<void> {
  unsubscribe();
  await Promise.all([...replays.values(), runner].map((part) => part.stop()));
}
