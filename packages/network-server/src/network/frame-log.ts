import type { ns } from '@hilltop/protobuf';
import type { JoinRefusal } from '../ports/join-refusals.ts';

/** The frames of one gateway or one device: the last few entries, then each new one. */
export interface FrameLog<Entry> {
  /** Cheap without readers. */
  add(key: string, entry: Entry): void;
  /**
   * First the stored entries, then new ones, until `signal` aborts or the reader stops. A slow reader misses the
   * oldest.
   */
  read(key: string, signal: AbortSignal): AsyncIterable<Entry>;
}

/** Remarks beside the frame. Remote network servers have none. */
export interface FrameRemarks {
  /** Why the device may not join. */
  refused?: JoinRefusal;
  /** DevEUIs of the relays that forwarded it. */
  relays?: string[];
}

export type FrameLogEntry = ns.StreamFrameLogsForDeviceResponse & ns.StreamFrameLogsForGatewayResponse & FrameRemarks;

/** The same frame log in other processes that work on the same state. */
export interface PeerFrameLog<Entry> {
  /** Registers the entries of this instance for readers on peers. */
  share(storedEntries: (key: string) => readonly Entry[]): void;
  /** Call it when this instance added an entry. Cheap without readers on peers. */
  added(key: string, entry: Entry): void;
  /**
   * Returns, within milliseconds, the entries of this instance (`own`) and of its peers in the order of time, and calls
   * `heard` with later entries of peers until `stop` is called. Never rejects.
   */
  follow(
    key: string,
    own: readonly Entry[],
    received: (entry: Entry) => void,
  ): Promise<{ stored: readonly Entry[]; stop: () => void }>;
}

interface Reader<Entry> {
  waiting: Entry[];
  wake: () => void;
}

const mostWaiting = 1000;

interface FrameLogDependencies<Entry> {
  perKey: () => number;
  keys: number;
  /** Present when other processes work on the same state. */
  peers?: PeerFrameLog<Entry> | undefined;
}

/** Stores `perKey` entries of each of the `keys` most recently active gateways or devices. */
export function createFrameLog<Entry>(needs: FrameLogDependencies<Entry>): FrameLog<Entry> {
  return new BoundedFrameLog(needs);
}

class BoundedFrameLog<Entry> implements FrameLog<Entry> {
  readonly #perKey: () => number;
  readonly #keys: number;
  readonly #peers: PeerFrameLog<Entry> | undefined;
  /** Ordered by activity, the least recently active first. */
  readonly #recent = new Map<string, Entry[]>();
  readonly #readers = new Map<string, Set<Reader<Entry>>>();

  constructor({ perKey, keys, peers }: FrameLogDependencies<Entry>) {
    this.#perKey = perKey;
    this.#keys = keys;
    this.#peers = peers;
    peers?.share((key) => this.#recent.get(key) ?? []);
  }

  add(key: string, entry: Entry): void {
    this.#remember(key, entry);
    for (const reader of this.#readers.get(key) ?? []) this.#give(reader, entry);
    this.#peers?.added(key, entry);
  }

  async *read(key: string, signal: AbortSignal): AsyncIterable<Entry> {
    const reader: Reader<Entry> = { waiting: [...(this.#recent.get(key) ?? [])], wake: () => undefined };
    const wake = () => reader.wake();
    const leave = this.#join(key, reader);
    signal.addEventListener('abort', wake);
    let unfollow: (() => void) | undefined;
    try {
      if (this.#peers) unfollow = await this.#follow(key, reader, this.#peers);
      while (!signal.aborted) {
        const entry = reader.waiting.shift();
        if (entry !== undefined) yield entry;
        else {
          await new Promise<void>((resolve) => {
            reader.wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
      leave();
      unfollow?.();
    }
  }

  #remember(key: string, entry: Entry): void {
    const entries = this.#recent.get(key) ?? [];
    entries.push(entry);
    entries.splice(0, Math.max(entries.length - this.#perKey(), 0));
    this.#recent.delete(key);
    this.#recent.set(key, entries);
    if (this.#recent.size <= this.#keys) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  }

  #join(key: string, reader: Reader<Entry>): () => void {
    const all = this.#readers.get(key) ?? new Set();
    this.#readers.set(key, all.add(reader));
    return () => {
      all.delete(reader);
      if (all.size === 0 && this.#readers.get(key) === all) this.#readers.delete(key);
    };
  }

  #give(reader: Reader<Entry>, entry: Entry): void {
    reader.waiting.push(entry);
    if (reader.waiting.length > mostWaiting) reader.waiting.shift();
    reader.wake();
  }

  /** Inserts the entries of peers before those that arrived in the meantime. */
  async #follow(key: string, reader: Reader<Entry>, peers: PeerFrameLog<Entry>): Promise<() => void> {
    const own = reader.waiting.splice(0);
    const { stored, stop } = await peers.follow(key, own, (entry) => this.#give(reader, entry));
    reader.waiting.unshift(...stored.slice(-this.#perKey()));
    return stop;
  }
}
