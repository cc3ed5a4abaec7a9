import { compareOrder, type Order } from './log-order.ts';

export interface LogEntry<T> {
  /** Unique in a log; the key of the row. */
  readonly key: string;
  readonly item: T;
  readonly order: Order;
}

export interface LogView<T> {
  /** Newest first, limited by `caps`. */
  readonly entries: readonly LogEntry<T>[];
  readonly isPaused: boolean;
  /** Items dropped since the pause began. */
  readonly missed: number;
  /** The oldest entries were dropped for newer ones. */
  readonly isTrimmed: boolean;
}

export interface LogStoreOptions<T> {
  /** The most entries of a log that only grows at its top, and of one that was extended with older items. */
  caps: { live: number; extended: number };
  orderOf: (item: T) => Order;
  /** The identity of an item among those of the same order; the stored tail arrives again after a reconnect. */
  identityOf: (item: T) => string;
  /** Whether a live item belongs to the log. */
  matches?: ((item: T) => boolean) | undefined;
  /** Schedules work for the next animation frame; tests inject their own scheduler. */
  schedule?: (work: () => void) => void;
}

export type LogStore<T> = ReturnType<typeof createLogStore<T>>;

/**
 * The entries of a log. Live items arrive one by one at any rate and are published together in an animation frame, at
 * most ten times a second. A live item is accepted only when it is newer than all before it, or equally new and not the
 * same. Stored items are merged into their positions.
 */
export function createLogStore<T>({
  caps,
  orderOf,
  identityOf,
  matches,
  schedule = pacedFrames(),
}: LogStoreOptions<T>) {
  let view: LogView<T> = { entries: [], isPaused: false, missed: 0, isTrimmed: false };
  let cap = caps.live;
  let arrived: LogEntry<T>[] = [];
  let missed = 0;
  let newest: T | undefined;
  let newestOrder: Order = [-Infinity, 0];
  let asNew: T[] = [];
  let serial = 0;
  let isScheduled = false;
  const watchers = new Set<() => void>();

  const publish = (next: LogView<T>) => {
    view = next;
    for (const watcher of watchers) watcher();
  };
  const publishEntries = (all: readonly LogEntry<T>[]) => {
    const isTrimmed = view.isTrimmed || all.length > cap;
    publish({ ...view, entries: all.length > cap ? all.slice(0, cap) : all, missed, isTrimmed });
  };
  const flush = () => {
    isScheduled = false;
    const entries = arrived.length === 0 ? view.entries : [...arrived.reverse(), ...view.entries];
    arrived = [];
    publishEntries(entries);
  };
  const flushSoon = () => {
    if (isScheduled) return;
    isScheduled = true;
    schedule(flush);
  };
  const isNews = (item: T, order: Order) => {
    const age = compareOrder(order, newestOrder);
    if (age < 0) return false;
    if (age > 0) asNew = [];
    const identity = asNew.length > 0 ? identityOf(item) : '';
    if (asNew.some((other) => identityOf(other) === identity)) return false;
    newest = item;
    newestOrder = order;
    asNew.push(item);
    return true;
  };
  const entryOf = (item: T, order = orderOf(item)): LogEntry<T> => ({ key: String(serial++), item, order });

  const keyOf = (item: T) => `${orderOf(item).join('-')} ${identityOf(item)}`;

  /** Both newest first. An item of both is there once, as `stored` has it, in the row that it has already. */
  const merged = (stored: readonly LogEntry<T>[]): LogEntry<T>[] => {
    const all: LogEntry<T>[] = [];
    const isSame = (one: LogEntry<T>, other: LogEntry<T>) =>
      compareOrder(one.order, other.order) === 0 && identityOf(one.item) === identityOf(other.item);
    let at = 0;
    for (const entry of view.entries) {
      while (at < stored.length && compareOrder(stored[at]!.order, entry.order) > 0) all.push(stored[at++]!);
      const same = stored[at];
      if (same && isSame(same, entry)) {
        all.push({ ...same, key: entry.key });
        at += 1;
      } else all.push(entry);
    }
    return [...all, ...stored.slice(at)];
  };

  return {
    add: (item: T) => {
      const order = orderOf(item);
      if (!isNews(item, order) || matches?.(item) === false) return;
      if (view.isPaused) missed += 1;
      else arrived.push(entryOf(item, order));
      if (arrived.length > cap * 2) arrived = arrived.slice(-cap);
      flushSoon();
    },
    /** Adds stored items, the newest first. `isOlder` gives the log more room at its end. */
    merge: (items: readonly T[], isOlder = false) => {
      if (isOlder) cap = caps.extended;
      flush();
      const [first] = items;
      if (first !== undefined && compareOrder(orderOf(first), newestOrder) > 0) isNews(first, orderOf(first));
      if (isOlder) view = { ...view, isTrimmed: false };
      publishEntries(merged(items.map((item) => entryOf(item))));
    },
    /** Replaces items of the log by the same ones as they are stored; adds none. */
    complete: (items: readonly T[]) => {
      const stored = new Map(items.map((item) => [keyOf(item), item]));
      const entries = view.entries.map((entry) => {
        const item = stored.get(keyOf(entry.item));
        return item === undefined ? entry : { ...entry, item };
      });
      publish({ ...view, entries });
    },
    /** The newest item that arrived, shown or not. */
    newest: () => newest,
    isFull: () => view.entries.length >= caps.extended,
    pause: () => {
      flush();
      missed = 0;
      publish({ ...view, isPaused: true, missed });
    },
    resume: () => {
      missed = 0;
      publish({ ...view, isPaused: false, missed });
    },
    /** Counts missed items from now on. */
    forgetMissed: () => {
      missed = 0;
      publish({ ...view, missed });
    },
    /** Empties the list; cleared items do not come back after a reconnect. */
    clear: () => {
      arrived = [];
      missed = 0;
      cap = caps.live;
      publish({ ...view, entries: [], missed, isTrimmed: false });
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
