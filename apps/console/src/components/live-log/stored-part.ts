import type { LiveState } from '../../api/live.ts';
import { type Order, orderOfStreamID } from './log-order.ts';
import type { LogHistory, LogPage, LogReach, LogRequest } from './log-source.ts';
import type { LogStore } from './log-store.ts';

/** Where items are missing between two that the log shows: after this one. */
export interface LogGap {
  /** The cursor of the item below the gap; empty when there is none. */
  readonly after: string;
  readonly order: Order;
}

type ReadPart = 'first' | 'older' | 'gap';

export interface StoredView {
  readonly reading: ReadPart | undefined;
  /** What the last read said, and which part it was to read. */
  readonly failure: { readonly part: ReadPart; readonly code: number; readonly message: string } | undefined;
  /** Undefined until the first page was read, and after the view was cleared. */
  readonly reach: LogReach | undefined;
  readonly isCleared: boolean;
  /** The server has no history: the log is only live. */
  readonly isMissing: boolean;
  readonly gap: LogGap | undefined;
}

const pageSize = 50;
/** Filling a gap stops after this many items, and goes on when the user asks. */
const gapSize = 500;
const retryMs = 2_000;
const mostRetries = 5;
/** Live items are completed together, and no more often than this. */
const completeAfterMs = 2_000;
const codes = { notFound: 5, notOffered: 12 };

const nothingYet: StoredView = {
  reading: undefined,
  failure: undefined,
  reach: undefined,
  isCleared: false,
  isMissing: false,
  gap: undefined,
};

/** Reads the stored items of a log into its store: the first page, older ones, and those that the stream left out. */
export class StoredPart<T> {
  readonly #store: LogStore<T>;
  readonly #history: LogHistory<T> | undefined;
  readonly #watchers = new Set<() => void>();
  #view: StoredView;
  #reading: AbortController | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retries = 0;
  #completion: ReturnType<typeof setTimeout> | undefined;
  /** The newest item when the connection was lost, and when the pause began. */
  #lostAfter: string | undefined;
  #pausedAfter: string | undefined;

  constructor(store: LogStore<T>, history: LogHistory<T> | undefined) {
    this.#store = store;
    this.#history = history;
    this.#view = history ? { ...nothingYet, reading: 'first' } : { ...nothingYet, isMissing: true };
  }

  view = (): StoredView => this.#view;

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  };

  open = (): void => {
    const { around } = this.#history ?? {};
    void this.#read('first', { ...(around && { around }), limit: pageSize }, (page) => {
      this.#store.merge(page.items);
      if (this.#pausedAfter === '') this.#pausedAfter = this.#newestCursor();
      this.#set({ reach: page, isCleared: false, gap: page.newer === '' ? this.#view.gap : gapAfter(page.newer) });
    });
  };

  loadOlder = (): void => {
    const { reach } = this.#view;
    if (!reach || this.#view.reading || this.#store.isFull()) return;
    const { entries, isTrimmed } = this.#store.view();
    const last = entries.at(-1);
    const before = isTrimmed && last && this.#history ? this.#history.cursorOf(last.item) : reach.older;
    if (before === '') return;
    void this.#read('older', { before, limit: pageSize }, (page) => {
      this.#store.merge(page.items, true);
      this.#set({ reach: page });
    });
  };

  /** Loads what is missing in the gap, or what the pause has left out so far. */
  fillGap = (): void => {
    const isPaused = this.#pausedAfter !== undefined;
    const gap = this.#view.gap ?? (isPaused ? gapAfter(this.#pausedAfter!) : undefined);
    if (!gap) return;
    this.#set({ gap });
    const cursor = gap.after === '' ? {} : { after: gap.after };
    void this.#read('gap', { ...cursor, limit: gapSize }, (page) => {
      this.#store.merge(page.items);
      const isFilled = page.newer === '' || gap.after === '';
      if (isFilled && isPaused) {
        this.#store.forgetMissed();
        this.#pausedAfter = this.#newestCursor();
      }
      this.#set({ gap: isFilled ? undefined : gapAfter(page.newer), ...(!this.#view.reach && { reach: page }) });
      if (!isFilled && !page.isComplete) this.fillGap();
    });
  };

  /** Tries again what failed. */
  retry = (): void => {
    const { failure } = this.#view;
    if (failure?.part === 'older') this.loadOlder();
    else if (failure?.part === 'gap') this.fillGap();
    else this.open();
  };

  pause = (): void => {
    this.#store.pause();
    this.#pausedAfter = this.#newestCursor();
  };

  resume = (): void => {
    const after = this.#pausedAfter;
    if (this.#history && this.#store.view().missed > 0 && after !== undefined) this.#noteGap(after);
    this.#pausedAfter = undefined;
    this.#store.resume();
  };

  clear = (): void => {
    this.#stop();
    this.#store.clear();
    this.#set({ ...nothingYet, isMissing: this.#view.isMissing, isCleared: this.#history !== undefined });
  };

  /** Follows the connection: what a reconnect has left out is loaded. */
  follow = (state: LiveState): void => {
    if (!this.#history || this.#view.isMissing) return;
    if (state === 'closed') {
      this.#forgetCompletion();
      this.#lostAfter ??= this.#newestCursor();
    }
    if (state !== 'connected' || this.#lostAfter === undefined) return;
    const after = this.#lostAfter;
    this.#lostAfter = undefined;
    if (this.#view.failure?.part === 'first') return this.open();
    this.#noteGap(after);
    if (!this.#store.view().isPaused) this.fillGap();
  };

  close = (): void => {
    this.#stop();
    this.#forgetCompletion();
  };

  /** A live item has arrived: what only the history has of it is read a moment later. */
  arrived = (item: T): void => {
    if (!this.#history?.hasMoreOf?.(item) || this.#view.isMissing || this.#store.view().isPaused) return;
    this.#completion ??= setTimeout(() => void this.#complete(), completeAfterMs);
  };

  async #complete(): Promise<void> {
    if (!navigator.onLine) return this.#forgetCompletion();
    // Without the notes the rows are shown all the same.
    const page = await this.#history!.read({ limit: pageSize }, new AbortController().signal).catch(() => undefined);
    if (this.#completion === undefined) return;
    this.#completion = undefined;
    if (page) this.#store.complete(page.items);
  }

  #forgetCompletion(): void {
    clearTimeout(this.#completion);
    this.#completion = undefined;
  }

  #newestCursor(): string {
    const newest = this.#store.newest();
    return newest === undefined || !this.#history ? '' : this.#history.cursorOf(newest);
  }

  /** A gap that is known already begins earlier. */
  #noteGap(after: string): void {
    this.#set({ gap: this.#view.gap ?? gapAfter(after) });
  }

  #stop(): void {
    this.#reading?.abort();
    clearTimeout(this.#retry);
    this.#retries = 0;
  }

  #set(change: Partial<StoredView>): void {
    this.#view = { ...this.#view, ...change };
    for (const watcher of this.#watchers) watcher();
  }

  async #read(part: ReadPart, request: LogRequest, use: (page: LogPage<T>) => void): Promise<void> {
    if (!this.#history) return;
    this.#reading?.abort();
    clearTimeout(this.#retry);
    const reading = new AbortController();
    this.#reading = reading;
    this.#set({ reading: part, failure: undefined });
    try {
      const page = await this.#history.read(request, reading.signal);
      if (reading.signal.aborted) return;
      this.#retries = 0;
      this.#set({ reading: undefined });
      use(page);
    } catch (error) {
      if (!reading.signal.aborted) this.#fail(part, error);
    }
  }

  #fail(part: ReadPart, error: unknown): void {
    const { code = 0, message } = error as Error & { code?: number };
    this.#set({ reading: undefined, failure: { part, code, message }, isMissing: code === codes.notOffered });
    // What is below the gap is not stored any more, so nothing can be loaded above it.
    if (part === 'gap' && code === codes.notFound) this.#set({ gap: undefined, failure: undefined });
    else if (part === 'gap' && this.#retries < mostRetries) {
      this.#retries += 1;
      this.#retry = setTimeout(this.fillGap, retryMs);
    }
  }
}

const gapAfter = (cursor: string): LogGap => ({
  after: cursor,
  order: cursor === '' ? [-Infinity, 0] : orderOfStreamID(cursor),
});
