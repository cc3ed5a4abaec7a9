/**
 * What the network server of one region must not forget. The network server reads, decides, and then commits everything
 * one frame changed together with the application's reaction to it; nothing of a unit is visible before all of it is on
 * disk. There are no locks: a session carries a revision, and a commit that lost a race is refused and decided again.
 */

import type { DueClaim, DueWork } from './due.ts';
import type { Effect } from './effect.ts';
import type { RecordKind, Records } from './records.ts';
import type { DeviceSession, Receiver } from './session.ts';

export type SessionInBrief = Pick<DeviceSession, 'id' | 'devAddr'>;

export interface State {
  /** One provisioned record. */
  get<K extends RecordKind>(of: K, id: string): Promise<Records[K] | null>;
  /** Current and pending sessions with this DevAddr, of any device; values the caller may change freely. */
  sessionsByDevAddr(devAddr: string): Promise<DeviceSession[]>;
  /** Current sessions by devEUI after that one, at most so many, to be read only. */
  sessionsAfter(devEUI: string, most: number): Promise<Omit<DeviceSession, 'keys'>[]>;
  sessions(devEUI: string): Promise<{ current: DeviceSession | null; pending: DeviceSession | null }>;
  /** The same for who only wants to know which there are. */
  sessionsInBrief(devEUI: string): Promise<{ current: SessionInBrief | null; pending: SessionInBrief | null }>;
  /** All queued downlinks of a device, lowest FCnt first. */
  queue(devEUI: string): Promise<QueueItem[]>;
  /** When a device used it, in milliseconds since 1970; null: never. */
  devNonceUsedAt(nonce: DevNonceUse): Promise<number | null>;
  /** The highest one that a device used, of that JoinEUI and kind of join; null: none. */
  highestDevNonce(of: Omit<DevNonceUse, 'devNonce'>): Promise<number | null>;
  /** The counter of the next downlink of a multicast-group; null when it was never set. */
  multicastFCnt(groupID: string): Promise<number | null>;
  /** The devices of a group by DevEUI, with who heard the last uplink of their current session. */
  multicastMembers(groupID: string): Promise<MulticastMember[]>;
  /** What waits to be sent to a group, lowest FCnt first. */
  multicastQueue(groupID: string): Promise<MulticastItem[]>;
  /** What leaves next for a group at one gateway. */
  nextMulticast(lane: MulticastQueueID): Promise<MulticastItem | null>;
  /** What leaves next for each group that something waits for at a gateway. */
  multicastHeads(gatewayID: string): Promise<MulticastItem[]>;
  /** Until when these gateways and groups rest, in milliseconds since 1970; those that never did are left out. */
  multicastRests(of: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /**
   * Journals uplink copies as they come from the gateways and resolves with their ids when they are on disk: only then
   * may the gateway be told that they arrived. Rejects when they could not be stored.
   */
  receive(copies: string[]): Promise<JournalID[]>;
  /** Copies received after `after` and never finished, oldest first, at most so many: what a crash interrupted. */
  unfinished(after: JournalID, most: number): Promise<JournalEntry[]>;
  /**
   * Those never finished whose text begins with one of these, oldest first. Each has 21 characters, which is how far the
   * copies of all uplinks under a DevAddr are alike.
   */
  unfinishedBeginning(beginnings: readonly string[]): Promise<JournalEntry[]>;
  /** Those of them that are not finished. */
  journalled(ids: readonly JournalID[]): Promise<JournalEntry[]>;
  /**
   * Copies that nobody works on, oldest first, at most so many after that one: those of processes that have ended, which
   * are ours from now on, and of ours those in `left` and what nobody finished for long, but never what is in our hand.
   */
  abandoned(
    after: JournalID,
    most: number,
    ours: { inHand: ReadonlySet<JournalID>; left: readonly JournalID[] },
  ): Promise<JournalEntry[]>;
  /**
   * Takes work that is due (`at <= now`), the longest due first, at most so many. Until `leaseUntil` nobody else gets it;
   * then it is due again, unless it was settled.
   */
  claimDue(claim: { now: number; leaseUntil: number; most: number }): Promise<DueClaim[]>;
  /** When the next work is due, in milliseconds since 1970; null: there is none. */
  nextDueAt(): Promise<number | null>;
  /** `listen` hears each time at which work becomes due by what is written here, once that is on disk. */
  onDue(listen: (at: number) => void): void;

  /**
   * Whether an error, of this state or of the application that shares its storage, says that storage could not do its
   * work at that moment. Everything else may be a fault of what it was asked.
   */
  isStorageFailure(error: unknown): boolean;

  /**
   * Writes all or nothing. `true`: everything is on disk. `false`: a guarded write (`saveSession`, `saveActivation`)
   * lost its race and nothing was written. Rejects when storage failed; nothing was written then either.
   */
  commit(unit: Unit): Promise<boolean>;
}

/** Increasing in the order of `receive`. */
export type JournalID = number;

export interface JournalEntry {
  id: JournalID;
  copy: string;
}

/** Writes happen in the order given, then the effects in theirs. */
export interface Unit {
  writes: Write[];
  effects: Effect[];
}

export type Write =
  /** Guarded: refused unless the stored session has the same `id` and `revision`; stores `revision + 1`. A pending
   *  session saved as current removes the device's former current one. */
  | { kind: 'saveSession'; session: DeviceSession }
  /** Replaces the device's session of the same role; a current one removes the pending one too. */
  | { kind: 'insertSession'; session: DeviceSession }
  | { kind: 'deleteSessions'; devEUI: string }
  | { kind: 'insertQueueItem'; item: QueueItem }
  /** Does nothing when the item is gone (flushed meanwhile). */
  | { kind: 'updateQueueItem'; item: QueueItem }
  | { kind: 'deleteQueueItem'; devEUI: string; id: string }
  | { kind: 'flushQueue'; devEUI: string }
  /** Guarded: refused when the device used this nonce before. */
  | { kind: 'saveActivation'; activation: DevNonceUse & { devAddr: string; at: number } }
  /** Keeps the latest `keep` activations of the device and forgets older nonces. */
  | { kind: 'forgetDevNonces'; devEUI: string; keep: number }
  /** With `isGuarded` refused when one of them is finished already. */
  | { kind: 'finish'; ids: readonly JournalID[]; isGuarded?: boolean }
  /** Asks for work at that time, or earlier when it was asked for earlier. Milliseconds since 1970. */
  | { kind: 'askDue'; work: DueWork; at: number }
  /**
   * Ends a turn: no more is due, or not before `next`. Does nothing when the work was asked for again or taken again; with
   * `isGuarded` the unit is refused then.
   */
  | { kind: 'settleDue'; claim: DueClaim; next: number | null; isGuarded?: boolean }
  /** What is due after that is due at `to`: it was a wrong clock that put it there. */
  | { kind: 'hurryDue'; after: number; to: number }
  | { kind: 'setMulticastFCnt'; groupID: string; fCnt: number }
  /** Guarded: refused when the group has come further; the next one is `fCnt + 1`. */
  | { kind: 'spendMulticastFCnt'; groupID: string; fCnt: number }
  /** Does nothing when the device is in the group. */
  | { kind: 'addMulticastMember'; groupID: string; devEUI: string }
  | { kind: 'removeMulticastMember'; groupID: string; devEUI: string }
  | { kind: 'insertMulticastItem'; item: MulticastItem }
  /** Does nothing when the item is gone. */
  | { kind: 'updateMulticastItem'; item: MulticastItem }
  | { kind: 'deleteMulticastItem'; place: MulticastPlace }
  | { kind: 'flushMulticastQueue'; groupID: string }
  /** Guarded: refused while one of these gateways and groups rests. Longer than twice `longestMs` no rest lasts: a wrong
   *  clock wrote it. */
  | { kind: 'beginMulticastRests'; of: readonly string[]; now: number; until: number; longestMs: number }
  /** Inserts or replaces. */
  | { [K in RecordKind]: { kind: 'saveRecord'; of: K; id: string; value: Records[K] } }[RecordKind]
  /**
   * Does nothing when absent. A device takes its sessions, queue, activations and places in multicast-groups along, a
   * gateway its `gatewaySeen`, a multicast-group its counter, members and queue, and both their rests.
   */
  | { kind: 'deleteRecord'; of: RecordKind; id: string };

/** One downlink waiting in a device's queue, encrypted with the AppSKey for its FCnt. */
export interface QueueItem {
  id: string;
  devEUI: string;
  fCnt: number;
  fPort: number;
  frmPayload: Uint8Array;
  confirmed: boolean;
  /** The session it is encrypted for; empty in items older than this field, which are for any. */
  sessionID: string;
  /** Queued while the device had joined anew and not been heard since: goes over to that session with it. */
  isForNextSession: boolean;
  /** A frame with it left under its FCnt, and it is not known whether a gateway sent it. */
  hasLeft: boolean;
  /** A confirmed item that was transmitted and waits for the device's acknowledgement. */
  isPending: boolean;
  /** How often it left and no gateway said that it was sent. */
  attempts: number;
  /** Class B and C: when it left last, in milliseconds since 1970. */
  leftAt?: number;
  /** When a pending item of a class B or C device counts as not acknowledged; null for class A. */
  timeoutAt: number | null;
  /** Class B and C: its gateway has not answered yet, or has refused; not again before this time. */
  notBefore: number | null;
  /** GPS time in milliseconds of the class B ping slot. */
  pingSlotAt: number | null;
}

/** A gateway that sends to a multicast-group: there one downlink leaves after the other. */
export interface MulticastQueueID {
  groupID: string;
  gatewayID: string;
}

/** One downlink in a lane. */
export interface MulticastPlace extends MulticastQueueID {
  fCnt: number;
}

/** One downlink at one gateway, encrypted with the McAppSKey of the group for its FCnt, which is spent. */
export interface MulticastItem extends MulticastPlace {
  board: number;
  antenna: number;
  fPort: number;
  frmPayload: Uint8Array;
  /** Milliseconds since 1970: when it is handed to the gateway, at the earliest. */
  at: number;
  /** GPS time in milliseconds of the class B ping slot; null in class C. */
  pingSlotAt: number | null;
  /** Milliseconds since 1970: what could not be sent by then is given up. */
  until: number;
  /** How often it left and its gateway said nothing. */
  attempts: number;
  /** When `at` was set. */
  setAt?: number;
}

export interface MulticastMember {
  devEUI: string;
  /** Data-rate of the last uplink. */
  dr: number;
  /** Best first; empty before any uplink. */
  receivers: Receiver[];
}

/** A DevNonce (or RJcount) is used once per device, JoinEUI and kind of join. */
export interface DevNonceUse {
  devEUI: string;
  joinEUI: string;
  joinType: 'join' | 'rejoin0' | 'rejoin1' | 'rejoin2';
  devNonce: number;
}
