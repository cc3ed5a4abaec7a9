import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';
import { removeOldDownlinks } from './downlink-rows.ts';

interface DownlinkRetentionDependencies {
  database: Pick<Database, 'query'>;
  steadyTime: Pick<SteadyTime, 'now'>;
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
}

const everyMs = 3_600_000;

/** Removes stored downlinks that are too old, also those of devices that get no new ones. */
export class DownlinkRetention {
  readonly #needs: DownlinkRetentionDependencies;
  readonly #rounds: PeriodicRounds;

  constructor(needs: DownlinkRetentionDependencies) {
    this.#needs = needs;
    this.#rounds = new PeriodicRounds({
      everyMs,
      round: () => this.round(),
      failed: (error) => needs.log.error({ err: error }, 'old downlinks could not be removed'),
    });
  }

  start = (): void => this.#rounds.start();

  stop = (): Promise<void> => this.#rounds.stop();

  async round(): Promise<void> {
    const { database, steadyTime, metrics } = this.#needs;
    metrics.count('downlinks_removed', { reason: 'age' }, await removeOldDownlinks(database, steadyTime.now()));
  }
}
