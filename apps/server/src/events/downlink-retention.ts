import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Metrics } from '../metrics.ts';
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
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(needs: DownlinkRetentionDependencies) {
    this.#needs = needs;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#run(), everyMs);
    this.#run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  async round(): Promise<void> {
    const { database, steadyTime, metrics } = this.#needs;
    metrics.count('downlinks_removed', { reason: 'age' }, await removeOldDownlinks(database, steadyTime.now()));
  }

  #run(): void {
    this.#running ??= this.round()
      .catch((error: unknown) => this.#needs.log.error({ err: error }, 'old downlinks could not be removed'))
      .finally(() => {
        this.#running = undefined;
      });
  }
}
