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
  /** What an item that is shown becomes when its stored one arrives; the stored one without this. */
  completed?: ((shown: T, stored: T) => T) | undefined;
  /** Whether a live item belongs to the log. */
  matches?: ((item: T) => boolean) | undefined;
  /** Schedules work for the next animation frame; tests inject their own scheduler. */
  schedule?: (work: () => void) => void;
}

/**
 * The entries of a log. Live items arrive one by one at any rate and are published together in an animation frame, at
 * most ten times a second. A live item is accepted only when it is newer than all before it, or equally new and not the
 * same. Stored items are merged into their positions.
 */
export class LogStore<T> {
  readonly #options: LogStoreOptions<T>;
  readonly #schedule: (work: () => void) => void;
  readonly #watchers = new Set<() => void>();
  #view: LogView<T> = { entries: [], isPaused: false, missed: 0, isTrimmed: false };
  #cap: number;
  #arrived: LogEntry<T>[] = [];
  #missed = 0;
  #newest: T | undefined;
  #newestOrder: Order = [-Infinity, 0];
  #asNew: T[] = [];
  #serial = 0;
  #isScheduled = false;

  constructor(options: LogStoreOptions<T>) {
    this.#options = options;
    this.#schedule = options.schedule ?? pacedFrames();
    this.#cap = options.caps.live;
  }

  add(item: T): void {
    const order = this.#options.orderOf(item);
    if (!this.#isNews(item, order) || this.#options.matches?.(item) === false) return;
    if (this.#view.isPaused) this.#missed += 1;
    else this.#arrived.push(this.#entryOf(item, order));
    if (this.#arrived.length > this.#cap * 2) this.#arrived = this.#arrived.slice(-this.#cap);
    this.#flushSoon();
  }

  /** Adds stored items, the newest first. `isOlder` gives the log more room at its end. */
  merge(items: readonly T[], isOlder = false): void {
    const { caps, orderOf } = this.#options;
    if (isOlder) this.#cap = caps.extended;
    this.#flush();
    const [first] = items;
    if (first !== undefined && compareOrder(orderOf(first), this.#newestOrder) > 0) this.#isNews(first, orderOf(first));
    if (isOlder) this.#view = { ...this.#view, isTrimmed: false };
    this.#publishEntries(this.#merged(items.map((item) => this.#entryOf(item))));
  }

  /** Replaces items of the log by the same ones as they are stored; adds none. */
  complete(items: readonly T[]): void {
    const { orderOf } = this.#options;
    const stored = new Map(items.map((item) => [this.#keyOf({ item, order: orderOf(item) }), item]));
    const entries = this.#view.entries.map((entry) => {
      const item = stored.get(this.#keyOf(entry));
      return item === undefined ? entry : { ...entry, item: this.#completed(entry.item, item) };
    });
    this.#publish({ ...this.#view, entries });
  }

  /** The newest item that arrived, shown or not. */
  newest(): T | undefined {
    return this.#newest;
  }

  isFull(): boolean {
    return this.#view.entries.length >= this.#options.caps.extended;
  }

  readonly pause = (): void => {
    this.#flush();
    this.#missed = 0;
    this.#publish({ ...this.#view, isPaused: true, missed: 0 });
  };

  readonly resume = (): void => {
    this.#missed = 0;
    this.#publish({ ...this.#view, isPaused: false, missed: 0 });
  };

  /** Counts missed items from now on. */
  forgetMissed(): void {
    this.#missed = 0;
    this.#publish({ ...this.#view, missed: 0 });
  }

  /** Empties the list; cleared items do not come back after a reconnect. */
  readonly clear = (): void => {
    this.#arrived = [];
    this.#missed = 0;
    this.#cap = this.#options.caps.live;
    this.#publish({ ...this.#view, entries: [], missed: 0, isTrimmed: false });
  };

  readonly view = (): LogView<T> => this.#view;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  };

  #publish(next: LogView<T>): void {
    this.#view = next;
    for (const watcher of this.#watchers) watcher();
  }

  #publishEntries(all: readonly LogEntry<T>[]): void {
    const isTrimmed = this.#view.isTrimmed || all.length > this.#cap;
    const entries = all.length > this.#cap ? all.slice(0, this.#cap) : all;
    this.#publish({ ...this.#view, entries, missed: this.#missed, isTrimmed });
  }

  #flush(): void {
    this.#isScheduled = false;
    const entries =
      this.#arrived.length === 0 ? this.#view.entries : [...this.#arrived.reverse(), ...this.#view.entries];
    this.#arrived = [];
    this.#publishEntries(entries);
  }

  #flushSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => this.#flush());
  }

  #isNews(item: T, order: Order): boolean {
    const { identityOf } = this.#options;
    const age = compareOrder(order, this.#newestOrder);
    if (age < 0) return false;
    if (age > 0) this.#asNew = [];
    const identity = this.#asNew.length > 0 ? identityOf(item) : '';
    if (this.#asNew.some((other) => identityOf(other) === identity)) return false;
    this.#newest = item;
    this.#newestOrder = order;
    this.#asNew.push(item);
    return true;
  }

  #entryOf(item: T, order = this.#options.orderOf(item)): LogEntry<T> {
    return { key: String(this.#serial++), item, order };
  }

  #completed(shown: T, stored: T): T {
    const { completed } = this.#options;
    return completed ? completed(shown, stored) : stored;
  }

  #keyOf({ order, item }: Pick<LogEntry<T>, 'order' | 'item'>): string {
    return `${order.join('-')} ${this.#options.identityOf(item)}`;
  }

  /** Both newest first. An item of both is there once, as `stored` has it, in the row that it has already. */
  #merged(stored: readonly LogEntry<T>[]): LogEntry<T>[] {
    const others = new Map(stored.map((entry) => [this.#keyOf(entry), entry]));
    const shown = this.#view.entries.map((entry) => {
      const key = this.#keyOf(entry);
      const same = others.get(key);
      if (!same) return entry;
      others.delete(key);
      return { ...same, key: entry.key, item: this.#completed(entry.item, same.item) };
    });
    const added = [...others.values()];
    const all: LogEntry<T>[] = [];
    let at = 0;
    for (const entry of shown) {
      while (at < added.length && compareOrder(added[at]!.order, entry.order) > 0) all.push(added[at++]!);
      all.push(entry);
    }
    return [...all, ...added.slice(at)];
  }
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
