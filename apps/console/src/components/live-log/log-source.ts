/** Where the items of a log come from. */
export interface LogSource<T> {
  /** The path of the stream, such as `/api/devices/0102030405060708/events`. Another path needs another `key`. */
  readonly path: string;
  /** The stored items of the same filter; undefined when only live items exist. */
  readonly history?: LogHistory<T> | undefined;
  /** Whether an item passes the filter; without it all do. */
  readonly matches?: ((item: T) => boolean) | undefined;
}

/** Stored items, in pages. A log with another history begins anew: keep the object while the filter stays the same. */
export interface LogHistory<T> {
  /** Rejects with code 12 when the server has no history. */
  readonly read: (request: LogRequest, signal: AbortSignal) => Promise<LogPage<T>>;
  /** The cursor of an item. */
  readonly cursorOf: (item: T) => string;
  /** Whether the history has more of an item than the stream. */
  readonly hasMoreOf?: (item: T) => boolean;
  /** What an item of the stream becomes when its stored one is read; the stored one without this. */
  readonly completed?: (shown: T, stored: T) => T;
  /** The cursor of the item around which the log opens. */
  readonly around?: string | undefined;
}

/** At most one cursor; without one the newest items. */
export interface LogRequest {
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
  readonly limit: number;
}

export interface LogPage<T> extends LogReach {
  /** The newest first. */
  readonly items: readonly T[];
  /** The cursor of newer items; empty when there are none. */
  readonly newer: string;
}

/** How far back the items of a history reach. */
export interface LogReach {
  /** The cursor of older items; empty when there are none. */
  readonly older: string;
  /** False: the search stopped before it found enough. */
  readonly isComplete: boolean;
  /** RFC 3339 timestamps, or null. */
  readonly searchedTo: string | null;
  readonly storedSince: string | null;
  /** Older items are removed; 0 for no limit. */
  readonly maxDays: number;
  readonly maxEvents: number;
}
