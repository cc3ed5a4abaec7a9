import { RetryLater } from '../retry-later.ts';

/**
 * Runs one password derivation at a time. Waiting callers take turns by their key, so many calls of one caller do not
 * delay the others.
 */
export interface Lane {
  /** Throws code 8 when too many wait, in all or with the same key. */
  inTurn: <T>(who: string, work: () => Promise<T>) => Promise<T>;
}

/** Beyond this number waiting would take too long. */
const mostWaiting = 100;
const mostOfOne = 50;
const comeAgainSeconds = 5;

export function createLane(): Lane {
  /** Waiting callers by key, in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingInAll = 0;
  let isBusy = false;

  function wait(who: string): Promise<void> {
    const own = waiting.get(who) ?? [];
    if (waitingInAll >= mostWaiting || own.length >= mostOfOne)
      throw new RetryLater(comeAgainSeconds, 'people signing in at once');
    waitingInAll += 1;
    waiting.set(who, own);
    return new Promise<void>((resolve) => own.push(resolve));
  }

  function next(): void {
    const [first] = waiting;
    if (!first) {
      isBusy = false;
      return;
    }
    const [who, own] = first;
    waiting.delete(who);
    waitingInAll -= 1;
    const start = own.shift()!;
    if (own.length > 0) waiting.set(who, own);
    start();
  }

  return {
    inTurn: async (who, work) => {
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
