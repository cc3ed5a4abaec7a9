import { compareOrder, type Order } from './log-order.ts';

export interface LogEntry<T> {
  /** Unique in a log; the key of the row. */
  readonly key: string;
  readonly item: T;
}

export interface LogView<T> {
  /** Newest first, at most `cap`. */
  readonly entries: readonly LogEntry<T>[];
  readonly isPaused: boolean;
  /** Items dropped since the pause began. */
  readonly missed: number;
}

export interface LogStoreOptions<T> {
  cap: number;
  orderOf: (item: T) => Order;
  /** The identity of an item among those of the same order; the stored tail arrives again after a reconnect. */
  identityOf: (item: T) => string;
  /** Schedules work for the next animation frame; tests inject their own scheduler. */
  schedule?: (work: () => void) => void;
}

/**
 * The entries of a live log. Items arrive one by one at any rate and are published together in an animation frame, at
 * most ten times a second. An item is accepted only when it is newer than all before it, or equally new and not the
 * same.
 */
export function createLogStore<T>({ cap, orderOf, identityOf, schedule = pacedFrames() }: LogStoreOptions<T>) {
  let view: LogView<T> = { entries: [], isPaused: false, missed: 0 };
  let arrived: LogEntry<T>[] = [];
  let missed = 0;
  let newest: Order = [-Infinity, 0];
  let asNew: T[] = [];
  let serial = 0;
  let isScheduled = false;
  const watchers = new Set<() => void>();

  const publish = (next: LogView<T>) => {
    view = next;
    for (const watcher of watchers) watcher();
  };
  const flush = () => {
    isScheduled = false;
    const entries = arrived.length === 0 ? view.entries : [...arrived.reverse(), ...view.entries].slice(0, cap);
    arrived = [];
    publish({ ...view, entries, missed });
  };
  const flushSoon = () => {
    if (isScheduled) return;
    isScheduled = true;
    schedule(flush);
  };
  const isNews = (item: T) => {
    const order = orderOf(item);
    const age = compareOrder(order, newest);
    if (age < 0) return false;
    if (age > 0) asNew = [];
    const identity = asNew.length > 0 ? identityOf(item) : '';
    if (asNew.some((other) => identityOf(other) === identity)) return false;
    newest = order;
    asNew.push(item);
    return true;
  };

  return {
    add: (item: T) => {
      if (!isNews(item)) return;
      if (view.isPaused) missed += 1;
      else arrived.push({ key: String(serial++), item });
      if (arrived.length > cap * 2) arrived = arrived.slice(-cap);
      flushSoon();
    },
    pause: () => {
      flush();
      missed = 0;
      publish({ ...view, isPaused: true, missed });
    },
    resume: () => {
      missed = 0;
      publish({ ...view, isPaused: false, missed });
    },
    /** Empties the list; cleared items do not come back after a reconnect. */
    clear: () => {
      arrived = [];
      missed = 0;
      publish({ ...view, entries: [], missed });
    },
    view: () => view,
    watch: (watcher: () => void) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

/** Nobody reads faster than this, and rendering more often would make the page unresponsive. */
const shortestGapMs = 100;

function pacedFrames(): (work: () => void) => void {
  let lastMs = -Infinity;
  return (work) => {
    const atNextFrame = () =>
      requestAnimationFrame((nowMs) => {
        lastMs = nowMs;
        work();
      });
    const waitMs = lastMs + shortestGapMs - performance.now();
    if (waitMs <= 0) atNextFrame();
    else setTimeout(atNextFrame, waitMs);
  };
}
