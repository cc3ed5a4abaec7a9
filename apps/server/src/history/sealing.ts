import type { Logger } from 'pino';
import type { SteadyTime } from '../database/steady-time.ts';
import { parseCursor } from '../event-log/cursor.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import type { HistorySettings } from './settings.ts';
import { HistoryFailure, type HistoryWorker } from './worker.ts';

interface SealingDependencies {
  worker: Pick<HistoryWorker, 'call'>;
  config: Pick<HistorySettings, 'historyEvents'>;
  eventLog: Pick<EventLog, 'end'>;
  steadyTime: Pick<SteadyTime, 'now'>;
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
}

/** The longest pause of sealing after it has failed several times in a row. */
const mostRoundsOfPause = 8;

/** When events are sealed, and what happens when that fails. */
export class HistorySealing {
  readonly #needs: SealingDependencies;
  #position = 0;
  #waiting = 0;
  #round = 0;
  /** Failed attempts since the last one that succeeded, and the round of the next attempt. */
  #failures = 0;
  #nextRound = 0;

  constructor(needs: SealingDependencies) {
    this.#needs = needs;
  }

  /** Events of the log that are not sealed yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The position of the log up to which events are sealed; the last known one while the worker does not answer. */
  async position(): Promise<number> {
    this.#position = await this.#needs.worker.call('sealedPosition').catch(() => this.#position);
    return this.#position;
  }

  /** Answers why it failed. With each failure the pause doubles; only a full disk is tried again with the next round. */
  async try(isForced: boolean): Promise<unknown> {
    const { log, metrics } = this.#needs;
    const round = this.#round++;
    if (!isForced && round < this.#nextRound) return undefined;
    try {
      await this.#seal(isForced);
      this.#failures = 0;
      return undefined;
    } catch (error) {
      metrics.count('history_rounds_failed');
      if (this.#failures === 0)
        log.error({ err: error, position: this.#position }, 'events could not be sealed; they stay in the event log');
      const pause = isFullDisk(error) ? 1 : Math.min(2 ** this.#failures, mostRoundsOfPause);
      this.#failures += 1;
      this.#nextRound = round + pause;
      return error;
    }
  }

  async #seal(isForced: boolean): Promise<void> {
    const { worker, config, eventLog, steadyTime, metrics } = this.#needs;
    const { pos, gaps } = parseCursor(await eventLog.end());
    // Below the first gap no event can appear any more.
    const upTo = Math.min(pos, ...[...gaps].map((gap) => gap - 1));
    const now = steadyTime.now();
    const sealed = await worker.call('seal', { upTo, now, perDevice: config.historyEvents, isForced });
    this.#position = sealed.position;
    this.#waiting = sealed.waiting;
    metrics.count('history_events_sealed', {}, sealed.sealed);
    metrics.count('history_events_removed', { reason: 'count' }, sealed.removed);
    metrics.count('series_values_omitted', {}, sealed.omitted);
    if (sealed.isStuck) throw new Error(`sealing makes no progress at position ${sealed.position} of the event log`);
  }
}

export const isFullDisk = (error: unknown): boolean => error instanceof HistoryFailure && error.isDiskFull;
