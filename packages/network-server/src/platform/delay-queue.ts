import type { Clock } from './runtime.ts';

/**
 * Passes each item on after a delay, in order, with one timer for all: thousands of uplinks a second wait here. The
 * delay is read for each item; a shorter one does not overtake the items before it. `flush` passes everything on at
 * once, `clear` drops everything. An item that has waited elsewhere is added with the milliseconds that it has waited.
 */
export interface DelayQueue<Item> {
  add(item: Item, waitedMs?: number): void;
  flush(): void;
  clear(): void;
}

interface DelayQueueOptions {
  /** How much longer an item may wait for later ones, depending on how many wait. */
  gatherMs?: (waiting: number) => number;
  /** How much sooner than its delay an item may be passed on together with an earlier one. */
  soonerMs?: () => number;
}

/** Timers run in whole milliseconds: rounding to the nearest one keeps the average delay exact. */
const nearestMs = 0.5;

/** Each item takes about 0.1 ms: further items run in later iterations of the event loop. */
const mostAtOnce = 32;

export function createDelayQueue<Item>(
  clock: Clock,
  delayMs: () => number,
  handOn: (item: Item) => void,
  { gatherMs = () => 0, soonerMs = () => 0 }: DelayQueueOptions = {},
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
    handOnDue(clock.monotonicMs() + Math.max(soonerMs(), nearestMs), mostAtOnce);
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
