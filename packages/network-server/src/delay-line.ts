import type { Clock } from './surroundings.ts';

/**
 * Hands each item on after a delay, in order, with one timer for all of them: thousands of uplinks a second wait in here.
 * The delay is asked for with each item; a shorter one hurries nobody past those before. `hurry` hands on everything at once, `clear` nothing any more.
 * With `gatherMs` an item may wait so much longer for those behind it, by how many there are. What has waited elsewhere
 * already is added with the milliseconds it has.
 */
export interface DelayLine<Item> {
  add(item: Item, waitedMs?: number): void;
  hurry(): void;
  clear(): void;
}

/** Timers go by whole milliseconds: the delay is kept to the nearest one, where the next one would be late on average. */
const nearestMs = 0.5;

export function createDelayLine<Item>(
  clock: Clock,
  delayMs: () => number,
  handOn: (item: Item) => void,
  gatherMs: (waiting: number) => number = () => 0,
): DelayLine<Item> {
  let waiting: { item: Item; due: number }[] = [];
  let cancel: (() => void) | null = null;

  function handOnDue(until: number): void {
    const firstEarly = waiting.findIndex(({ due }) => due > until);
    const due = firstEarly === -1 ? waiting : waiting.slice(0, firstEarly);
    waiting = firstEarly === -1 ? [] : waiting.slice(firstEarly);
    cancel = null;
    const next = waiting[0];
    if (next) cancel = clock.after(Math.max(next.due + gatherMs(waiting.length) - clock.monotonicMs(), 0), onTimer);
    for (const { item } of due) handOn(item);
  }

  function onTimer(): void {
    handOnDue(clock.monotonicMs() + nearestMs);
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
    hurry() {
      cancel?.();
      handOnDue(Number.POSITIVE_INFINITY);
    },
  };
}
