import type { Network } from '../network/network.ts';
import type { StorageWatch } from '../state/storage-watch.ts';
import type { CollectedUplink } from './collector.ts';
import type { UplinkJournal } from './journal.ts';

/**
 * The attempts for an uplink whose processing itself fails; then it is dropped, so that it does not block its device.
 */
const mostTries = 3;

/** Repeats the work for an uplink until it succeeds, its own failures are too many, or the process stops. */
export class ProcessingRetry {
  readonly #network: Network;
  readonly #storage: StorageWatch;
  readonly #journal: UplinkJournal;
  #unwritten = 0;
  #lastError: unknown;

  constructor(network: Network, storage: StorageWatch, journal: UplinkJournal) {
    this.#network = network;
    this.#storage = storage;
    this.#journal = journal;
  }

  /**
   * While storage fails it waits, however long. An uplink whose own processing fails is dropped after `mostTries`.
   * Resolves with null when it was dropped, or when the process stops first.
   */
  async run<T>(collected: CollectedUplink, work: () => Promise<T>): Promise<T | null> {
    const { count } = this.#network;
    for (let tries = 1; ; ) {
      try {
        return await work();
      } catch (error) {
        count('uplinks_failed');
        const failure = await this.#storage.judge(error);
        if (failure === 'ended') {
          this.#unwritten += 1;
          this.#lastError = error;
          return null;
        }
        if (failure === 'storage') collected.isTooLateToAnswer = true;
        else if (tries < mostTries) tries += 1;
        else return await this.#drop(collected, error);
      }
    }
  }

  /** Logs how many uplinks the stop interrupted. */
  reportUnwritten(): void {
    if (this.#unwritten === 0) return;
    this.#network.log.error(
      { err: this.#lastError, uplinks: this.#unwritten },
      'Uplinks could not be written before the stop; the next start processes them.',
    );
    this.#unwritten = 0;
  }

  async #drop({ phyPayload, journalIDs }: CollectedUplink, error: unknown): Promise<null> {
    const { count, log } = this.#network;
    count('uplinks_dropped', { reason: 'failed' });
    log.error(
      { err: error, phyPayload: phyPayload.toHex() },
      'An uplink was dropped: its processing fails every time.',
    );
    await this.#journal.finish(journalIDs);
    return null;
  }
}
