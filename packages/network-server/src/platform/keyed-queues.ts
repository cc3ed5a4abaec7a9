/** Runs work with the same key in the order given, one at a time, and work with different keys concurrently. */
export interface KeyedQueues {
  run(key: string, work: () => Promise<void>): Promise<void>;
  /** Resolves when the work queued so far under that key has ended. */
  whenDone(key: string): Promise<void>;
  /** Whether work with that key runs or waits. */
  isBusy(key: string): boolean;
}

export function createKeyedQueues(): KeyedQueues {
  const tails = new Map<string, Promise<void>>();
  function run(key: string, work: () => Promise<void>): Promise<void> {
    const before = tails.get(key);
    const done = before ? before.then(work, work) : work();
    tails.set(key, done);
    const clear = () => {
      if (tails.get(key) === done) tails.delete(key);
    };
    done.then(clear, clear);
    return done;
  }

  return {
    run,
    whenDone: (key) => run(key, async () => {}),
    isBusy: (key) => tails.has(key),
  };
}
