import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Metrics } from '../metrics.ts';
import { dayMs } from './series-day.ts';
import type { HistorySettings } from './settings.ts';
import type { HistoryWorker } from './worker.ts';

interface RemovalDependencies {
  worker: Pick<HistoryWorker, 'call'>;
  config: HistorySettings & { databaseURL: string };
  files: { historyFile: string };
  steadyTime: Pick<SteadyTime, 'now'>;
  log: Pick<Logger, 'warn'>;
  metrics: Pick<Metrics, 'count'>;
}

/** Below one of these the oldest events are removed, whatever the settings. */
const leastFree = { bytes: 1e9, share: 0.05 };

/** Removes what is too old or too much, and knows how much is left. */
export class HistoryRemoval {
  readonly #needs: RemovalDependencies;
  #size = { events: 0, bytes: 0, seriesBytes: 0 };
  /** The setting may be lower than in the last process. */
  #areDevicesLimited = false;

  constructor(needs: RemovalDependencies) {
    this.#needs = needs;
  }

  get size(): { readonly events: number; readonly bytes: number; readonly seriesBytes: number } {
    return this.#size;
  }

  async remove(isDiskFull: boolean): Promise<void> {
    const { worker, config, log, metrics } = this.#needs;
    const isLow = isDiskFull || (await this.#isDiskLow());
    const { removed, events, bytes, series } = await worker.call('cut', {
      before: this.#timeBefore(config.historyDays),
      seriesBefore: this.#timeBefore(config.seriesDays),
      perDevice: this.#areDevicesLimited ? 0 : config.historyEvents,
      mostBytes: config.historySize,
      isDiskLow: isLow,
    });
    this.#areDevicesLimited = true;
    this.#size = { events, bytes, seriesBytes: series.bytes };
    for (const [reason, count] of Object.entries(removed)) metrics.count('history_events_removed', { reason }, count);
    for (const [reason, count] of Object.entries(series.removed))
      metrics.count('series_rows_removed', { reason }, count);
    if (isLow && removed.size > 0)
      log.warn({ events: removed.size }, 'the disk is nearly full: the oldest events of the history were removed');
    if (series.removed.size > 0)
      log.warn({ days: series.removed.size }, 'the disk is nearly full: the oldest values of devices were removed');
  }

  /** Undefined: without limit. */
  #timeBefore(days: number): number | undefined {
    return days === 0 ? undefined : Math.floor(this.#needs.steadyTime.now() - days * dayMs);
  }

  async #isDiskLow(): Promise<boolean> {
    const { config, files } = this.#needs;
    if (config.databaseURL !== '') return false;
    const { bavail, blocks, bsize } = await statfs(dirname(files.historyFile));
    return bavail * bsize < leastFree.bytes || bavail < blocks * leastFree.share;
  }
}
