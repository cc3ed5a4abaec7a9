/** Runs work with the same key in the order given, one at a time, and work with different keys concurrently. */
export interface KeyedQueues {
  run(key: string, work: () => Promise<void>): Promise<void>;
  /** Whether work with that key runs or waits. */
  isBusy(key: string): boolean;
}

export function createKeyedQueues(): KeyedQueues {
  const tails = new Map<string, Promise<void>>();
  return {
    isBusy: (key) => tails.has(key),
    run(key, work) {
      const before = tails.get(key);
      const done = before ? before.then(work, work) : work();
      tails.set(key, done);
      const clear = () => {
        if (tails.get(key) === done) tails.delete(key);
      };
      done.then(clear, clear);
      return done;
    },
  };
}
