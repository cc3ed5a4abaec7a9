import type { AirtimeObserver, Clock, ReceivedAirtime, SentAirtime } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { Metrics } from '../metrics.ts';
import { AirtimeHour } from './airtime-hour.ts';
import { addAirtime, type CountedHour, hourMs } from './airtime-rows.ts';
import { yielding } from './yielding.ts';

interface AirtimeDependencies {
  database: Database;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
}

/** As statistics: a longer interval makes fewer writes, and a killed process loses what it counted since. */
const writeEveryMs = 60_000;
/** Rows of one transaction: each is read, unpacked, packed and written. */
const rowsPerTransaction = 25;
/** Gateways and hours that are counted at once; senders without a registered gateway are among them. */
const mostCounted = 20_000;
/** Writing takes at most a third of the time: uplinks are processed in between. */
const pauseTimes = 2;

/**
 * Adds up the time on air of what gateways receive and send: in memory, and once a minute in their rows. Each instance
 * counts what it processes itself.
 */
export class AirtimeRecords implements AirtimeObserver {
  readonly #needs: AirtimeDependencies;
  #counted = new Map<string, CountedHour>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(needs: AirtimeDependencies) {
    this.#needs = needs;
  }

  received(gatewayID: string, frame: ReceivedAirtime): void {
    this.#hourOf(gatewayID)?.addReceived(frame);
  }

  sent(gatewayID: string, frame: SentAirtime): void {
    this.#hourOf(gatewayID)?.addSent(frame);
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#writeOrLog(), writeEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    await this.#writeOrLog();
  }

  /** Writes what was counted; what could not be written is counted again. */
  async write(): Promise<void> {
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    const { database, clock } = this.#needs;
    const pause = yielding(pauseTimes, this.#timer ? new AbortController().signal : AbortSignal.abort());
    for (let first = 0; first < counted.length; first += rowsPerTransaction) {
      const some = counted.slice(first, first + rowsPerTransaction);
      try {
        await database.commitSeparately({
          run: async () => {
            await addAirtime(database, some, clock.now().getTime());
            return true;
          },
        });
      } catch (error) {
        for (const { gatewayID, hour, sums } of counted.slice(first)) this.#hourOf(gatewayID, hour)?.addHour(sums);
        throw error;
      }
      await pause();
    }
  }

  async #writeOrLog(): Promise<void> {
    this.#writing ??= this.write()
      .catch((error: unknown) =>
        this.#needs.log.error({ err: error }, 'Airtime of gateways could not be written; the next round tries again.'),
      )
      .finally(() => {
        this.#writing = undefined;
      });
    await this.#writing;
  }

  #hourOf(gatewayID: string, hour = startOfHour(this.#needs.clock.now().getTime())): AirtimeHour | undefined {
    const key = `${gatewayID} ${hour}`;
    const known = this.#counted.get(key);
    if (known) return known.sums;
    if (this.#counted.size >= mostCounted) {
      this.#needs.metrics.count('airtime_left_out');
      return undefined;
    }
    const sums = new AirtimeHour();
    this.#counted.set(key, { gatewayID, hour, sums });
    return sums;
  }
}

export const startOfHour = (ms: number): number => ms - (ms % hourMs);
