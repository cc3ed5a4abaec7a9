import { refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { ConditionChanges, EvaluationRequest } from '../conditions/evaluate.ts';
import type { FleetCounts, FleetRequest } from '../conditions/fleet-counts.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import { formatCursor, noGaps } from '../event-log/cursor.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import { HistoryRemoval } from './removal.ts';
import { HistorySealing, isFullDisk } from './sealing.ts';
import type { HistorySettings } from './settings.ts';
import type { StoreSettings } from './stores.ts';
import { HistoryFailure, HistoryWorker, type ReadingName } from './worker.ts';
import type { WorkerCalls } from './worker-calls.ts';

/** Callers share the time for reading: `caller` is whose share a call takes. */
type HistoryRead<Name extends ReadingName> = (
  request: Parameters<WorkerCalls[Name]>[0],
  caller?: string,
) => ReturnType<WorkerCalls[Name]>;

/** The events of devices and their values: those of the event log, and those that are sealed. */
export interface History {
  read: HistoryRead<'read'>;
  frames: HistoryRead<'frames'>;
  fields: HistoryRead<'fields'>;
  series: HistoryRead<'series'>;
  /** Compares conditions and values with alert rules. */
  alerts: Pick<WorkerCalls, 'conditionAlerts' | 'valueAlerts'>;
  /** The devices that need a gateway. */
  dependents: HistoryRead<'dependents'>;
  /** What the parts of the storage take. */
  storageSizes: () => ReturnType<WorkerCalls['storageSizes']>;
  /** Seals what waits in the log, everything with `isForced`, and removes what is too old or too much. */
  round(given?: { isForced?: boolean }): Promise<void>;
}

/** Work that one instance does. */
export interface RunningHistory extends History {
  start(): void;
  /** Resolves when no round runs any more. */
  stop(): Promise<void>;
  close(): Promise<void>;
  /** Evaluates conditions in the worker. */
  evaluate: (request: EvaluationRequest) => Promise<ConditionChanges>;
  /** Counts devices, gateways and conditions in the worker. */
  countFleet: (request: FleetRequest) => Promise<FleetCounts>;
}

interface HistoryDependencies {
  config: HistorySettings & Pick<StoreSettings, 'databaseURL'>;
  files: Pick<StoreSettings, 'databaseFile'> & { historyFile: string };
  eventLog: Pick<EventLog, 'end' | 'retain'>;
  steadyTime: SteadyTime;
  clock: Pick<Clock, 'monotonicMs'>;
  log: Logger;
  metrics: Metrics;
}

const roundEveryMs = 60_000;
const roundsPerRemoval = 10;

export function createHistory(needs: HistoryDependencies): RunningHistory {
  const { config, files, eventLog, log, metrics } = needs;
  const { databaseURL, history: isSealing, historyDays, historySize } = config;
  const historyFile = isSealing ? files.historyFile : undefined;
  const worker = new HistoryWorker({ databaseURL, databaseFile: files.databaseFile, historyFile }, needs);
  const sealing = new HistorySealing({ ...needs, worker });
  const removal = new HistoryRemoval({ ...needs, worker });
  const rounds = new HistoryRounds(sealing, removal, { isSealing, log, metrics });

  metrics.gauge('history_events', 'Sealed events.', () => removal.size.events);
  metrics.gauge('history_bytes', 'Size of the sealed events.', () => removal.size.bytes);
  metrics.gauge('history_waiting_events', 'Events of the log that are not sealed yet.', () => sealing.waiting);
  metrics.gauge('series_bytes', 'Size of the values of devices over time.', () => removal.size.seriesBytes);

  // Events stay in the log until they are sealed.
  const release = isSealing
    ? eventLog.retain(async () => [formatCursor({ pos: await sealing.position(), gaps: noGaps })])
    : () => undefined;

  /** A call that reads. */
  const reading =
    <Name extends ReadingName>(name: Name): HistoryRead<Name> =>
    (request, caller = '') =>
      worker.read(caller, name, request).catch((error: unknown) => {
        if (!(error instanceof HistoryFailure)) throw error;
        metrics.count('history_reads_failed');
        log.error({ err: error }, 'the history of a device could not be read');
        throw refusal('HISTORY_BUSY');
      }) as ReturnType<WorkerCalls[Name]>;

  return {
    read: reading('read'),
    frames: reading('frames'),
    fields: reading('fields'),
    series: reading('series'),
    alerts: {
      conditionAlerts: (request) => worker.call('conditionAlerts', request),
      valueAlerts: (request) => worker.call('valueAlerts', request),
    },
    dependents: reading('dependents'),
    storageSizes: () => worker.call('storageSizes'),
    start: () => rounds.start(),
    stop: () => rounds.stop(),
    round: (given) => rounds.run(given),
    countFleet: (request) => worker.call('fleet', request),
    evaluate: (request) => worker.call('evaluate', { ...request, historyDays, historySize }),
    close: async () => {
      release();
      await worker.close();
    },
  };
}

interface RoundDependencies extends Pick<HistoryDependencies, 'log'> {
  /** Without sealing there are no rounds. */
  isSealing: boolean;
  metrics: Pick<Metrics, 'count'>;
}

/** Seals every minute, and removes what is too old or too much in every tenth round or when the disk is full. */
class HistoryRounds {
  readonly #sealing: HistorySealing;
  readonly #removal: HistoryRemoval;
  readonly #dependencies: RoundDependencies;
  #rounds = 0;
  #isRemovalFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(sealing: HistorySealing, removal: HistoryRemoval, dependencies: RoundDependencies) {
    this.#sealing = sealing;
    this.#removal = removal;
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#runLogged(), roundEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  async run({ isForced = false } = {}): Promise<void> {
    if (!this.#dependencies.isSealing) return;
    const failure = await this.#sealing.try(isForced);
    const isDiskFull = isFullDisk(failure);
    const isRemoving = isForced || isDiskFull || this.#rounds % roundsPerRemoval === 0;
    this.#rounds += 1;
    if (isRemoving) {
      await this.#removal.remove(isDiskFull);
      this.#isRemovalFailing = false;
    }
    if (isForced && failure !== undefined && !isDiskFull) throw failure;
  }

  #runLogged(): void {
    const { log, metrics } = this.#dependencies;
    this.#running ??= this.run()
      .catch((error: unknown) => {
        metrics.count('history_rounds_failed');
        if (!this.#isRemovalFailing) log.error({ err: error }, 'old events of the history could not be removed');
        this.#isRemovalFailing = true;
      })
      .finally(() => {
        this.#running = undefined;
      });
  }
}
