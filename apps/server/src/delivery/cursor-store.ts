import { Violation } from '../database/violation.ts';
import type { LogPosition } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { DeliveryRuntime } from './runtime.ts';
import { SingleFlight } from './single-flight.ts';
import { type DeliveryState, saveState } from './state-rows.ts';

/** The state that changes while events are delivered, at one moment. */
export interface CursorSnapshot {
  position: LogPosition;
  lastReadPos: number;
  doneAhead: readonly number[];
  revision: number;
  health: DeliveryState['health'];
  /** A read is under way: the position is that before it, and must be stored again afterwards. */
  isReading: boolean;
}

/** The options that users set for an integration. */
export type DeliveryOptions = Pick<DeliveryState, 'keepOrder' | 'maxInFlight'>;

const storeIntervalMs = 200;
const storeAfterEvents = 500;

/**
 * Stores the cursor of one integration, its health and its options, together with the attempt log: five times a second
 * while they change, and after every 500 completed events. A process that is killed repeats the events since the last store.
 */
export class CursorStore {
  readonly #runtime: Pick<DeliveryRuntime, 'database' | 'clock' | 'log'>;
  readonly #integrationID: number;
  readonly #attemptLog: Pick<AttemptLog, 'isDirty' | 'write'>;
  readonly #takeSnapshot: () => CursorSnapshot;
  readonly #writes = new SingleFlight((isLast: boolean) => this.#write(isLast));
  #stored: DeliveryState;
  #isDirty = false;
  #completedEvents = 0;
  #storedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(
    runtime: Pick<DeliveryRuntime, 'database' | 'clock' | 'log'>,
    {
      integrationID,
      stored,
      attemptLog,
      takeSnapshot,
    }: {
      integrationID: number;
      stored: DeliveryState;
      attemptLog: Pick<AttemptLog, 'isDirty' | 'write'>;
      takeSnapshot: () => CursorSnapshot;
    },
  ) {
    this.#runtime = runtime;
    this.#integrationID = integrationID;
    this.#stored = stored;
    this.#attemptLog = attemptLog;
    this.#takeSnapshot = takeSnapshot;
  }

  /** The state in the database, except that options apply before they are stored. */
  get state(): DeliveryState {
    return this.#stored;
  }

  get options(): DeliveryOptions {
    return this.#stored;
  }

  setOptions({ keepOrder, maxInFlight }: DeliveryOptions): void {
    this.#stored = { ...this.#stored, keepOrder, maxInFlight };
    this.#isDirty = true;
  }

  markDirty(): void {
    this.#isDirty = true;
  }

  /** Counts events that were delivered, expired or skipped. */
  countCompleted(events: number): void {
    this.#completedEvents += events;
    this.#isDirty = true;
  }

  storeIfMany(): void {
    if (this.#completedEvents >= storeAfterEvents) void this.#storeOrLog(false);
  }

  tick(): void {
    const isDue = this.#runtime.clock.monotonicMs() - this.#storedAt >= storeIntervalMs;
    if (isDue && (this.#isDirty || this.#attemptLog.isDirty())) void this.#storeOrLog(false);
  }

  /** Resolves when all changes before the call are on disk. @throws when the storage is unavailable */
  store(): Promise<void> {
    return this.#writes.runAfresh(false);
  }

  /** Stores for the last time: later changes are not stored. */
  async close(): Promise<void> {
    await this.#writes.settled();
    await this.#storeOrLog(true);
    this.#isClosed = true;
  }

  #storeOrLog(isLast: boolean): Promise<void> {
    const failed = (error: unknown) => this.#runtime.log.debug({ err: error }, 'storing a cursor failed; retrying');
    return this.#writes.run(isLast).catch(failed);
  }

  async #write(isLast: boolean): Promise<void> {
    if (this.#isClosed) return;
    const { isReading, ...changed } = this.#takeSnapshot();
    const wasDirty = this.#isDirty;
    this.#isDirty = isReading;
    this.#completedEvents = 0;
    this.#storedAt = this.#runtime.clock.monotonicMs();
    const { database } = this.#runtime;
    try {
      await database.commit({
        run: async () => {
          if (wasDirty) await saveState(database, this.#integrationID, { ...this.#stored, ...changed });
          await this.#attemptLog.write(isLast);
          return true;
        },
      });
      this.#stored = { ...this.#stored, ...changed };
      failPoint('cursor stored');
    } catch (error) {
      this.#isDirty ||= wasDirty;
      // The integration was removed.
      if (!(error instanceof Violation)) throw error;
    }
  }
}
