/** Work that runs in the background until it is done; a stop waits for it. */
export class BackgroundTasks {
  readonly #running = new Set<Promise<void>>();

  add(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when the currently running tasks have ended; they may have started more. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
