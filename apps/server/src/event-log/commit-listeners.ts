/** Callbacks for commits of events of an application; `undefined` stands for all applications. */
export interface CommitListeners {
  on(applicationID: number | undefined, wake: () => void): () => void;
  /** Call it when an event of the application was committed. */
  notify(applicationID: number): void;
}

/** Commits within this time cause one call of each callback. */
const waitMs = 2;

export function createCommitListeners(): CommitListeners {
  const waiting = new Map<number | undefined, Set<() => void>>();
  let notified = new Set<number>();

  function wakeAll(): void {
    const applications = notified;
    notified = new Set();
    for (const wake of waiting.get(undefined) ?? []) wake();
    for (const applicationID of applications) for (const wake of waiting.get(applicationID) ?? []) wake();
  }

  return {
    on: (applicationID, wake) => {
      // Each registration counts, also of the same function.
      const callback = () => wake();
      const others = waiting.get(applicationID) ?? new Set();
      waiting.set(applicationID, others.add(callback));
      return () => {
        others.delete(callback);
        if (others.size === 0 && waiting.get(applicationID) === others) waiting.delete(applicationID);
      };
    },
    notify: (applicationID) => {
      if (!waiting.has(applicationID) && !waiting.has(undefined)) return;
      if (notified.size === 0) setTimeout(wakeAll, waitMs);
      notified.add(applicationID);
    },
  };
}
