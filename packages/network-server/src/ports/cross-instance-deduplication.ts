import type { JournalID } from '../state/state.ts';

/**
 * Where the network servers of one region in several processes, on one state, find out which of them handles an uplink
 * that more than one of them heard. It knows ids of the journal alone and may forget, though make nothing up: what it
 * has forgotten costs a reception or two seconds, never an uplink, because a copy is finished once (`finish`, guarded)
 * and a frame counter is taken once.
 */
export interface CrossInstanceDeduplication {
  /** Puts copies to those of the same uplink, by key. Answers in order, within a moment, and never rejects. */
  add(copies: readonly SharedCopy[]): Promise<CopyOwner[]>;
  /** All copies of an uplink so far, by whom has it. Those that come now are late. Never rejects. */
  collectCopies(key: string): Promise<JournalID[]>;
  /**
   * How many other processes go before this one with the uplinks of a sender, by its arrival lane, while nobody can say
   * who has what: all of them agree.
   */
  priorityOf(arrival: string): number;
  /** Copies of ours that were put to those of a process that is gone; some may be finished. */
  orphanedCopies(): JournalID[];
  /** Calls back as soon as a process is missed, until the answer is called. */
  onPeerLost(listener: () => void): () => void;
}

export interface SharedCopy {
  key: string;
  id: JournalID;
}

/**
 * `mine`: the first copy was one of ours, so that it is ours to handle; `elsewhere`: another one handles it; `late`:
 * another one has read all of its copies, one of its own among them, which is in the journal until the uplink is told;
 * `unknown`: nobody can say, so that each handles what it has, one after the other.
 */
export type CopyOwner = 'mine' | 'elsewhere' | 'late' | 'unknown';
