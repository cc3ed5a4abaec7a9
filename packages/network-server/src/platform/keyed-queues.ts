/** Runs work with the same key one after the other, in the order given, and everything else at once. */
export interface KeyedQueues {
  run(key: string, work: () => Promise<void>): Promise<void>;
  /** Whether work with that key is under way or waits. */
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
