import type { Clock } from './runtime.ts';

/**
 * Hands each item on after a delay, in order, with one timer for all of them: thousands of uplinks a second wait in here.
 * The delay is asked for with each item; a shorter one hurries nobody past those before. `hurry` hands on everything at once, `clear` nothing any more.
 * With `gatherMs` an item may wait so much longer for those behind it, by how many there are. What has waited elsewhere
 * already is added with the milliseconds it has.
 */
export interface DelayQueue<Item> {
  add(item: Item, waitedMs?: number): void;
  flush(): void;
  clear(): void;
}

/** Timers go by whole milliseconds: the delay is kept to the nearest one, where the next one would be late on average. */
const nearestMs = 0.5;

/** Each holds up all else in the process for some 0.1 ms: those behind these have turns of their own. */
const mostAtOnce = 32;

export function createDelayQueue<Item>(
  clock: Clock,
  delayMs: () => number,
  handOn: (item: Item) => void,
  gatherMs: (waiting: number) => number = () => 0,
): DelayQueue<Item> {
  let waiting: { item: Item; due: number }[] = [];
  let cancel: (() => void) | null = null;

  function handOnDue(until: number, most: number): void {
    let count = 0;
    while (count < Math.min(waiting.length, most) && waiting[count]!.due <= until) count += 1;
    const due = waiting.splice(0, count);
    cancel = null;
    const next = waiting[0];
    if (next) cancel = clock.after(Math.max(next.due + gatherMs(waiting.length) - clock.monotonicMs(), 0), onTimer);
    for (const { item } of due) handOn(item);
  }

  function onTimer(): void {
    handOnDue(clock.monotonicMs() + nearestMs, mostAtOnce);
  }

  return {
    add(item, waitedMs = 0) {
      const leftMs = delayMs() - waitedMs;
      waiting.push({ item, due: clock.monotonicMs() + leftMs });
      cancel ??= clock.after(Math.max(leftMs, 0), onTimer);
    },
    clear() {
      cancel?.();
      cancel = null;
      waiting = [];
    },
    flush() {
      cancel?.();
      handOnDue(Number.POSITIVE_INFINITY, waiting.length);
    },
  };
}
