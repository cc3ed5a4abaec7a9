import type { Clock } from '@hilltop/network-server';

/** Ids of all registered gateways in memory, because a flood of unknown ones must not cost a query each. */
export class RegisteredGateways {
  readonly #readIDs: () => Promise<string[]>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #validMs: number;
  #ids = new Set<string>();
  /** Changes since the last read began. */
  readonly #changed = new Map<string, boolean>();
  #validUntil = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  /** Reads the ids again when an unknown one is looked up and the last read is older than `validMs`. */
  constructor(
    readIDs: () => Promise<string[]>,
    { clock, validMs }: { clock: Pick<Clock, 'monotonicMs'>; validMs: number },
  ) {
    this.#readIDs = readIDs;
    this.#clock = clock;
    this.#validMs = validMs;
  }

  /**
   * Whether the gateway is registered. One that was removed directly in the database is noticed when its record is
   * read.
   */
  async has(id: string): Promise<boolean> {
    if (!this.#ids.has(id) && this.#clock.monotonicMs() >= this.#validUntil) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.#ids.has(id);
  }

  note(id: string, isRegistered: boolean): void {
    this.#changed.set(id, isRegistered);
    if (isRegistered) this.#ids.add(id);
    else this.#ids.delete(id);
  }

  async #read(): Promise<void> {
    this.#changed.clear();
    this.#ids = new Set(await this.#readIDs());
    for (const [id, isRegistered] of this.#changed) this.note(id, isRegistered);
    this.#validUntil = this.#clock.monotonicMs() + this.#validMs;
  }
}
