import type { JournalID } from '../state/state.ts';

/**
 * How the instances of one region on one database decide which of them processes an uplink that several of them
 * received. It stores journal ids only. It may forget copies, but must never invent any: a forgotten copy costs a
 * reception or two seconds, never an uplink, because a copy is finished once (guarded `finish`) and a frame counter is
 * accepted once.
 */
export interface CrossInstanceDeduplication {
  /**
   * Adds copies to those of the same uplink, by key. Returns the owners in order, within milliseconds. Never rejects.
   */
  add(copies: readonly SharedCopy[]): Promise<CopyOwner[]>;
  /** All copies of an uplink so far, for its owner. Copies that arrive afterwards are late. Never rejects. */
  collectCopies(key: string): Promise<JournalID[]>;
  /**
   * How many peers precede this instance for the uplinks of an arrival key while the owners are unknown. All instances
   * compute the same order.
   */
  priorityOf(arrival: string): number;
  /** Copies of this instance whose owner has ended; some may be finished. */
  orphanedCopies(): JournalID[];
  /** Calls back as soon as a peer is lost, until the returned function is called. */
  onPeerLost(listener: () => void): () => void;
}

export interface SharedCopy {
  key: string;
  id: JournalID;
}

/**
 * Who processes the uplink of a copy. `mine`: this instance, because the first copy was its own; `elsewhere`: a peer;
 * `late`: a peer that has already collected its copies and has one of its own in the journal until the uplink is
 * processed; `unknown`: the owner cannot be determined, so each instance processes its copies, one instance after the
 * other.
 */
export type CopyOwner = 'mine' | 'elsewhere' | 'late' | 'unknown';
