/** Who wants to know of which application's events. */
export interface Wakes {
  on(applicationID: number | undefined, wake: () => void): () => void;
  /** An event of it was committed. */
  tell(applicationID: number): void;
}

/** What is committed meanwhile is told together. */
const waitMs = 2;

export function createWakes(): Wakes {
  const waiting = new Map<number | undefined, Set<() => void>>();
  let told = new Set<number>();

  function wakeAll(): void {
    const applications = told;
    told = new Set();
    for (const wake of waiting.get(undefined) ?? []) wake();
    for (const applicationID of applications) for (const wake of waiting.get(applicationID) ?? []) wake();
  }

  return {
    on: (applicationID, wake) => {
      const one = () => wake();
      const others = waiting.get(applicationID) ?? new Set();
      waiting.set(applicationID, others.add(one));
      return () => {
        others.delete(one);
        if (others.size === 0 && waiting.get(applicationID) === others) waiting.delete(applicationID);
      };
    },
    tell: (applicationID) => {
      if (!waiting.has(applicationID) && !waiting.has(undefined)) return;
      if (told.size === 0) setTimeout(wakeAll, waitMs);
      told.add(applicationID);
    },
  };
}
