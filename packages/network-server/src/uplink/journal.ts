/** First stage of the uplink pipeline: copies are stored before their gateways get an acknowledgement. */
import type { gw } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import type { JournalID } from '../state/state.ts';
import type { StorageWatch } from '../state/storage-watch.ts';
import { writeCopy } from './journal-copy.ts';

/** A copy in the journal. */
export interface StoredCopy {
  id: JournalID;
  /**
   * The earliest time at which it can have arrived, in milliseconds since 1970. Set only where several instances run:
   * tells whether a peer may have processed later uplinks before this one.
   */
  receivedAt?: number;
}

export interface UplinkJournal {
  /** Copies that are not finished. */
  unfinished(): number;
  /** Stores copies in their order. Rejects when too many are unfinished, or when storage fails. */
  store(frames: readonly gw.UplinkFrame[]): Promise<StoredCopy[]>;
  /** Stores the frame that a relay forwarded; undefined when storage has no id for it. */
  storeForwarded(frame: gw.UplinkFrame): Promise<JournalID | undefined>;
  /** Takes over copies that were read from the journal. */
  claim(ids: readonly JournalID[]): void;
  /** Gives up copies that another instance has finished or processes. */
  release(ids: readonly JournalID[]): void;
  /** Removes copies. While storage fails it retries, and they count as unfinished. */
  finish(ids: readonly JournalID[]): Promise<void>;
}

/** The journal of a process that shares its state with no other. */
export class LocalJournal implements UplinkJournal {
  readonly #network: Network;
  readonly #storage: StorageWatch;
  #unfinished = 0;

  constructor(network: Network, storage: StorageWatch) {
    this.#network = network;
    this.#storage = storage;
  }

  unfinished(): number {
    return this.#unfinished;
  }

  async store(frames: readonly gw.UplinkFrame[]): Promise<StoredCopy[]> {
    const { state, count, settings } = this.#network;
    if (this.#unfinished + frames.length > settings.maxUnprocessedCopies) {
      count('uplinks_shed', {}, frames.length);
      throw new Error('Too many uplinks wait to be processed.');
    }
    this.#unfinished += frames.length;
    try {
      const ids = await state.receive(frames.map(writeCopy));
      count('uplink_copies', {}, frames.length);
      return ids.map((id) => ({ id }));
    } catch (error) {
      this.#unfinished -= frames.length;
      throw error;
    }
  }

  async storeForwarded(frame: gw.UplinkFrame): Promise<JournalID | undefined> {
    const [id] = await this.#network.state.receive([writeCopy(frame)]);
    if (id !== undefined) this.#unfinished += 1;
    return id;
  }

  claim(ids: readonly JournalID[]): void {
    this.#unfinished += ids.length;
  }

  release(ids: readonly JournalID[]): void {
    this.#unfinished -= ids.length;
  }

  async finish(ids: readonly JournalID[]): Promise<void> {
    const { state, log } = this.#network;
    for (let isDone = false; !isDone; ) {
      try {
        await state.commit({ writes: [{ kind: 'finish', ids }], effects: [] });
        isDone = true;
      } catch (error) {
        isDone = (await this.#storage.judge(error)) !== 'storage';
        if (isDone) log.error({ err: error }, 'A journal row could not be removed; the next start processes it.');
      }
    }
    this.release(ids);
  }
}
