import { RetryLater } from '../retry-later.ts';

/**
 * Runs one password derivation at a time. Waiting callers take turns by their key, so many calls of one caller do not
 * delay the others.
 */
export interface DerivationQueue {
  /** Throws code 8 when too many wait, in all or with the same key. */
  run: <T>(who: string, work: () => Promise<T>) => Promise<T>;
}

/** With more, waiting would take too long. */
const mostWaiting = 100;
const mostOfOneCaller = 50;
const retryAfterSeconds = 5;

export function createDerivationQueue(): DerivationQueue {
  /** Waiting callers by key, in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingInAll = 0;
  let isBusy = false;

  function wait(who: string): Promise<void> {
    const ownWaiting = waiting.get(who) ?? [];
    if (waitingInAll >= mostWaiting || ownWaiting.length >= mostOfOneCaller)
      throw new RetryLater(retryAfterSeconds, 'people signing in at once');
    waitingInAll += 1;
    waiting.set(who, ownWaiting);
    return new Promise<void>((resolve) => ownWaiting.push(resolve));
  }

  function next(): void {
    const [first] = waiting;
    if (!first) {
      isBusy = false;
      return;
    }
    const [who, ownWaiting] = first;
    waiting.delete(who);
    waitingInAll -= 1;
    const start = ownWaiting.shift()!;
    if (ownWaiting.length > 0) waiting.set(who, ownWaiting);
    start();
  }

  return {
    run: async (who, work) => {
      if (isBusy) await wait(who);
      isBusy = true;
      try {
        return await work();
      } finally {
        next();
      }
    },
  };
}
