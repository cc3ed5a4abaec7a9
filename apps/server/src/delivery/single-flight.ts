/** Runs `work` at most once at a time: callers during a run share its result. */
export class SingleFlight<Arguments extends unknown[]> {
  readonly #work: (...args: Arguments) => Promise<void>;
  #running: Promise<void> | undefined;

  constructor(work: (...args: Arguments) => Promise<void>) {
    this.#work = work;
  }

  run(...args: Arguments): Promise<void> {
    this.#running ??= this.#work(...args).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Starts a new run after the current one, which may have begun before the last change. */
  async runAfresh(...args: Arguments): Promise<void> {
    await this.settled();
    await this.run(...args);
  }

  /** Resolves when nothing runs, whatever the outcome. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
  }
}
