interface PeriodicRoundsNeeds {
  everyMs: number;
  round: () => Promise<unknown>;
  /** Called for the first of several failures in a row. */
  failed: (error: unknown) => void;
}

/** Runs a round at the start, or an interval later, and then at the interval, one at a time. */
export class PeriodicRounds {
  readonly #needs: PeriodicRoundsNeeds;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(needs: PeriodicRoundsNeeds) {
    this.#needs = needs;
  }

  start({ isFirstLater = false } = {}): void {
    this.#timer ??= setInterval(() => this.#run(), this.#needs.everyMs);
    if (!isFirstLater) this.#run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  #run(): void {
    this.#running ??= this.#round().finally(() => {
      this.#running = undefined;
    });
  }

  async #round(): Promise<void> {
    const { round, failed } = this.#needs;
    try {
      await round();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) failed(error);
      this.#isFailing = true;
    }
  }
}
