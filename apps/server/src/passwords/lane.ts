import { RetryLater } from '../retry-later.ts';

/** One at a time. Those who wait take turns by who they are, so that nobody's many keep another's one waiting. */
export interface Lane {
  /** Throws code 8 when too many wait, in all or of the same. */
  inTurn: <T>(who: string, work: () => Promise<T>) => Promise<T>;
}

/** More than these would wait so long that nobody does. */
const mostWaiting = 100;
const mostOfOne = 50;
const comeAgainSeconds = 5;

export function createLane(): Lane {
  /** Whose turn is next stands first. */
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
