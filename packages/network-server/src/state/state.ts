/**
 * The persistent state of the network server of one region. The network server reads, decides, and then commits
 * everything that one frame changes together with the effect of the application, in one transaction. There are no
 * locks: a session has a revision, and a commit that lost a race is refused and decided again.
 */

import type { DueClaim, DueWork } from './due.ts';
import type { Effect } from './effect.ts';
import type { RecordKind, Records } from './records.ts';
import type { DeviceSession, Receiver } from './session.ts';

export type SessionInBrief = Pick<DeviceSession, 'id' | 'devAddr'>;

export interface State {
  /** One provisioned record. */
  get<K extends RecordKind>(of: K, id: string): Promise<Records[K] | null>;
  /** Sessions with this DevAddr, of any device and in any role. The caller may change them. */
  sessionsByDevAddr(devAddr: string): Promise<DeviceSession[]>;
  /** Current sessions after that DevEUI, at most so many. The caller must not change them. */
  sessionsAfter(devEUI: string, most: number): Promise<Omit<DeviceSession, 'keys'>[]>;
  sessions(devEUI: string): Promise<Record<DeviceSession['role'], DeviceSession | null>>;
  /** The sessions of a device with less data. */
  sessionsInBrief(devEUI: string): Promise<Record<DeviceSession['role'], SessionInBrief | null>>;
  /** All queued downlinks of a device, lowest FCnt first. */
  queue(devEUI: string): Promise<QueueItem[]>;
  /** When a device used it, in milliseconds since 1970; null: never. */
  devNonceUsedAt(nonce: DevNonceUse): Promise<number | null>;
  /** The highest nonce that a device used, of that JoinEUI and kind of join; null: none. */
  highestDevNonce(of: Omit<DevNonceUse, 'devNonce'>): Promise<number | null>;
  /** The counter of the next downlink of a multicast-group; null when it was never set. */
  multicastFCnt(groupID: string): Promise<number | null>;
  /** The devices of a group by DevEUI, with the gateways that received the last uplink of their current session. */
  multicastMembers(groupID: string): Promise<MulticastMember[]>;
  /** The queue of a group, lowest FCnt first. */
  multicastQueue(groupID: string): Promise<MulticastItem[]>;
  /** The next item of a group at one gateway. */
  nextMulticast(queue: MulticastQueueID): Promise<MulticastItem | null>;
  /** The next item of each group that has a queue at a gateway. */
  multicastHeads(gatewayID: string): Promise<MulticastItem[]>;
  /**
   * When the cooldowns of these gateways and groups end, in milliseconds since 1970; without those that never had one.
   */
  multicastRests(of: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /**
   * Stores uplink copies in the journal and resolves with their ids when they are on disk: only then may the gateway
   * get an acknowledgement. Rejects when they could not be stored.
   */
  receive(copies: string[]): Promise<JournalID[]>;
  /** Unfinished copies after `after`, oldest first, at most so many: a crash interrupted their processing. */
  unfinished(after: JournalID, most: number): Promise<JournalEntry[]>;
  /**
   * Unfinished copies whose text begins with one of these, oldest first. Each beginning has 21 characters, which the
   * copies of all uplinks with one DevAddr share.
   */
  unfinishedBeginning(beginnings: readonly string[]): Promise<JournalEntry[]>;
  /** The unfinished ones of these copies. */
  journalled(ids: readonly JournalID[]): Promise<JournalEntry[]>;
  /**
   * Copies that no instance works on, oldest first, at most so many after that one: those of ended instances, which now
   * belong to this one, and of this instance those in `left` and those that have been unfinished for long. Never
   * returns copies in `inHand`.
   */
  abandoned(
    after: JournalID,
    most: number,
    ours: { inHand: ReadonlySet<JournalID>; left: readonly JournalID[] },
  ): Promise<JournalEntry[]>;
  /**
   * Claims work that is due (`at <= now`), the longest due first, at most so many. No other call gets it until
   * `leaseUntil`; then it is due again, unless it was settled.
   */
  claimDue(claim: { now: number; leaseUntil: number; most: number }): Promise<DueClaim[]>;
  /** When the next work is due, in milliseconds since 1970; null: none. */
  nextDueAt(): Promise<number | null>;
  /**
   * Calls `listen` with the time of work that a commit of this instance schedules, when it is on disk; with the claim
   * and its end when the commit has claimed the work as well.
   */
  onDue(listen: (at: number, claim?: DueClaim) => void): void;

  /**
   * Whether an error, of this state or of the application that shares its storage, means that storage failed. Any other
   * error may be caused by the request.
   */
  isStorageFailure(error: unknown): boolean;
  /**
   * Receives each error that prevented the work for an uplink. After one that means damage to the stored data, `receive`
   * rejects everything.
   */
  noteFailure(error: unknown): void;

  /**
   * Writes all or nothing. `true`: everything is on disk. `false`: a guarded write lost its race: `saveSession`,
   * `saveActivation`, `spendMulticastFCnt`, `startMulticastCooldowns`, `finish`, `settleDue` or `updateQueueItem` with
   * `isGuarded`, and `deleteQueueItem` with `unchanged`; nothing was written. Rejects when storage failed; nothing was written then either.
   */
  commit(unit: Unit): Promise<boolean>;
}

/** Increasing in the order of `receive`. */
export type JournalID = number;

export interface JournalEntry {
  id: JournalID;
  copy: string;
}

/** Executes the writes in order, then the effects in order. */
export interface Unit {
  writes: Write[];
  effects: Effect[];
  /** How long the unit may wait for others that share its transaction; 0 when not given. */
  maxWaitMs?: number;
}

export type Write =
  /**
   * Guarded: refused unless the stored session has the same `id` and `revision`; stores `revision + 1`. Saved as
   * current, a pending session removes all others of the device; a replaced one leaves the pending one.
   */
  | { kind: 'saveSession'; session: DeviceSession }
  /** A current session removes all others of the device. A pending one makes the pending one the replaced one. */
  | { kind: 'insertSession'; session: DeviceSession }
  | { kind: 'deleteSessions'; devEUI: string }
  | { kind: 'insertQueueItem'; item: QueueItem }
  /** Does nothing when the item does not exist any more; with `isGuarded` the transaction is refused then. */
  | { kind: 'updateQueueItem'; item: QueueItem; isGuarded?: boolean }
  /** With `unchanged`, refused when the stored item is another one or does not exist any more. */
  | { kind: 'deleteQueueItem'; devEUI: string; id: string; unchanged?: QueueItem }
  | { kind: 'flushQueue'; devEUI: string }
  /** Guarded: refused when the device used this nonce before. */
  | { kind: 'saveActivation'; activation: DevNonceUse & { devAddr: string; at: number } }
  /** Stores the latest `keep` activations of the device and deletes older nonces. */
  | { kind: 'forgetDevNonces'; devEUI: string; keep: number }
  /** With `isGuarded`, refused when one of them is already finished. */
  | { kind: 'finish'; ids: readonly JournalID[]; isGuarded?: boolean }
  /**
   * Schedules work for that time. An earlier scheduled time stays. Milliseconds since 1970. With `leaseUntil` the work
   * is due now and claimed at once by this instance, which saves `claimDue`.
   */
  | { kind: 'askDue'; work: DueWork; at: number; leaseUntil?: number | undefined }
  /**
   * Ends a claim: no more work is due, or not before `next`. Does nothing when the work was scheduled or claimed again;
   * with `isGuarded` the transaction is refused then.
   */
  | { kind: 'settleDue'; claim: DueClaim; next: number | null; isGuarded?: boolean }
  /** Moves work that is due after `after` to `to`: a wrong clock has set its time. */
  | { kind: 'advanceDue'; after: number; to: number }
  | { kind: 'setMulticastFCnt'; groupID: string; fCnt: number }
  /** Guarded: refused when the counter of the group is higher; the next one is `fCnt + 1`. */
  | { kind: 'spendMulticastFCnt'; groupID: string; fCnt: number }
  /** Does nothing when the device is already in the group. */
  | { kind: 'addMulticastMember'; groupID: string; devEUI: string }
  | { kind: 'removeMulticastMember'; groupID: string; devEUI: string }
  | { kind: 'insertMulticastItem'; item: MulticastItem }
  /** Does nothing when the item does not exist any more. */
  | { kind: 'updateMulticastItem'; item: MulticastItem }
  | { kind: 'deleteMulticastItem'; itemID: MulticastItemID }
  | { kind: 'flushMulticastQueue'; groupID: string }
  /**
   * Guarded: refused while one of these gateways and groups has a cooldown. No cooldown is longer than twice
   * `longestMs`: a wrong clock has written a longer one.
   */
  | { kind: 'startMulticastCooldowns'; of: readonly string[]; now: number; until: number; longestMs: number }
  /** Inserts or replaces a record. */
  | { [K in RecordKind]: { kind: 'saveRecord'; of: K; id: string; value: Records[K] } }[RecordKind]
  /**
   * Does nothing when it does not exist. With a device its sessions, queue, activations and memberships in multicast
   * groups are deleted, with a gateway its `gatewaySeen`, with a multicast group its counter, members and queue, and
   * with either its cooldowns.
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
  /** The session it is encrypted for; empty in older items, which are for any session. */
  sessionID: string;
  /** Queued after a join whose session the device has not used yet: it moves to that session. */
  isForNextSession: boolean;
  /** Its frame was sent with its FCnt, and no gateway has confirmed or refused it. */
  hasLeft: boolean;
  /** A confirmed item that was transmitted and waits for the device's acknowledgement. */
  isPending: boolean;
  /** How often it was sent without an answer of the gateway. */
  attempts: number;
  /** When it was sent last, in milliseconds since 1970; absent after its gateway refused it. */
  leftAt?: number | undefined;
  /** When it is dropped unless it was sent, in milliseconds since 1970; absent: never. */
  expiresAt?: number | undefined;
  /** When a pending item of a class B or C device counts as not acknowledged; null for class A. */
  timeoutAt: number | null;
  /** Class B and C: its gateway has not answered yet, or has refused; do not send again before this time. */
  notBefore: number | null;
  /** GPS time in milliseconds of the class B ping slot. */
  pingSlotAt: number | null;
}

/** The queue of a multicast group at one gateway, which sends one downlink after the other. */
export interface MulticastQueueID {
  groupID: string;
  gatewayID: string;
}

/** One downlink in such a queue. */
export interface MulticastItemID extends MulticastQueueID {
  fCnt: number;
}

/** One downlink at one gateway, encrypted with the McAppSKey of the group for its FCnt, which is used up. */
export interface MulticastItem extends MulticastItemID {
  board: number;
  antenna: number;
  fPort: number;
  frmPayload: Uint8Array;
  /** Milliseconds since 1970: the earliest time at which it is passed to the gateway. */
  at: number;
  /** GPS time in milliseconds of the class B ping slot; null in class C. */
  pingSlotAt: number | null;
  /** Milliseconds since 1970: the item is dropped when it could not be sent by then. */
  until: number;
  /** How often it was sent without an answer of the gateway. */
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
