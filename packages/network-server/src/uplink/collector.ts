/** Second stage of the uplink pipeline: gathers the copies of one uplink from several gateways. */
import { equalBytes } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { arrivalKeyOf } from '../network/arrival-key.ts';
import type { BackgroundTasks } from '../platform/background-tasks.ts';
import { createDelayQueue, type DelayQueue } from '../platform/delay-queue.ts';
import { createKeyedQueues } from '../platform/keyed-queues.ts';
import type { Clock } from '../platform/runtime.ts';
import type { JournalID } from '../state/state.ts';
import type { StoredCopy } from './journal.ts';

/** The most receptions of one uplink by one gateway: one per antenna. */
const mostReceptions = 16;

/** Options that depend on whether peers collect copies of the same uplinks. */
export interface CollectionPolicy {
  /**
   * How much later a window may close, depending on how many are open. Uplinks whose windows close together share round
   * trips to the database and to Redis, and disk flushes.
   */
  laterMs: (open: number) => number;
  /**
   * A window closes sooner by up to this share when another one closes, for the same reason: of 200 uplinks/s, four share
   * each round trip.
   */
  soonerShare: number;
  /**
   * The deduplication window includes the time for storing the first copy, up to this many milliseconds. When storing
   * takes longer, the server is behind and may have unread copies.
   */
  mostStorageMs: number;
  /** Whether copies from the journal are collected separately from new ones, which a peer may process. */
  separatesRecovered: boolean;
}

export const collectingAlone: CollectionPolicy = {
  laterMs: () => 0,
  soonerShare: 0.1,
  mostStorageMs: 10,
  separatesRecovered: false,
};

/** One uplink with its copies. */
export interface CollectedUplink {
  phyPayload: Uint8Array;
  txInfo: gw.UplinkTXInfo;
  rxInfo: gw.UplinkRXInfo[];
  journalIDs: JournalID[];
  /**
   * The earliest time at which the first copy can have arrived, in milliseconds since 1970. Set only where several
   * instances run: tells whether a peer may have processed later uplinks before this one.
   */
  receivedAt?: number;
  /** Delayed by a restart, a storage failure or an instance that ended: its receive windows have passed. */
  isTooLateToAnswer: boolean;
}

/** Copies on their way to storage. */
interface ArrivingCopies {
  /** The copy of that index is stored. */
  add(index: number, copy: StoredCopy): void;
  /** Storing has ended: no more copies follow. */
  end(): void;
}

/** How many copies of one uplink are on their way to storage. */
interface PendingCopies {
  count: number;
  allStored?: () => void;
}

/** `key` is null for a frame without radio data, which is not an uplink. */
type ExpectedCopy = { key: string; pending: PendingCopies } | { key: null; pending: null };

interface CollectorDependencies {
  clock: Clock;
  tasks: BackgroundTasks;
  policy: CollectionPolicy;
  delayMs: () => number;
  process: (collected: CollectedUplink) => void;
  /** `frame` is null when it is not an uplink. */
  late: (journalID: JournalID, frame: gw.UplinkFrame | null) => void;
  /** Called when a gateway reports more receptions of an uplink than it has antennas. */
  surplus: () => void;
}

/**
 * The first copy opens a window of `delayMs()`. When it closes, the collector waits for copies that arrived in it and
 * are not stored yet, and passes the uplink to `process`. Later copies go to `late`, as long as the uplink is
 * remembered.
 */
export class UplinkCollector {
  readonly #needs: CollectorDependencies;
  /** The uplink while its window is open; null while only its key is remembered. */
  readonly #seen = new Map<string, CollectedUplink | null>();
  /** Pending copies of uplinks whose windows are open. */
  readonly #pendingByKey = new Map<string, PendingCopies>();
  /** Uplinks under one arrival key are processed in the order in which their windows close. */
  readonly #closing = createKeyedQueues();
  readonly #forgetting: DelayQueue<string>;
  readonly #collecting: DelayQueue<string>;

  constructor(needs: CollectorDependencies) {
    this.#needs = needs;
    const { clock, delayMs, policy } = needs;
    this.#forgetting = createDelayQueue<string>(
      clock,
      () => Math.max(2 * delayMs(), 200),
      (key) => this.#seen.delete(key),
    );
    this.#collecting = createDelayQueue<string>(clock, delayMs, (key) => this.#close(key), {
      gatherMs: policy.laterMs,
      soonerMs: () => delayMs() * policy.soonerShare,
    });
  }

  /**
   * Records copies on their way to storage. Their window opens when the first is stored, and is shorter by the time
   * that took, up to `mostStorageMs`.
   */
  expectStoring(frames: readonly gw.UplinkFrame[]): ArrivingCopies {
    const arrivedAt = this.#needs.clock.monotonicMs();
    const expected = frames.map((frame) => this.#expectCopy(frame));
    return {
      add: (index, copy) => {
        const waitedMs = Math.min(this.#needs.clock.monotonicMs() - arrivedAt, this.#needs.policy.mostStorageMs);
        this.#add(expected[index]!.key, frames[index]!, copy, { waitedMs });
      },
      end: () => expected.forEach((copy) => this.#endCopy(copy)),
    };
  }

  /** Adds a copy that was stored before. */
  add(frame: gw.UplinkFrame, journalID: JournalID, isTooLateToAnswer = false): void {
    const { phyPayload, txInfo } = frame;
    const prefix = isTooLateToAnswer && this.#needs.policy.separatesRecovered ? 'recovered ' : '';
    const key = txInfo && `${prefix}${uplinkKeyOf(phyPayload, txInfo)}`;
    this.#add(key ?? null, frame, { id: journalID }, { isTooLateToAnswer });
  }

  /** Processes the collected copies without further waiting. */
  flush(): void {
    this.#collecting.flush();
  }

  /** Forgets which uplinks were processed. */
  forget(): void {
    this.#forgetting.clear();
    this.#seen.clear();
  }

  #close(key: string): void {
    const collected = this.#seen.get(key);
    if (!collected) return;
    const pending = this.#pendingByKey.get(key);
    // Copies that arrive from now on are not waited for.
    this.#pendingByKey.delete(key);
    const remember = () => {
      this.#seen.set(key, null);
      this.#forgetting.add(key);
    };
    if (!pending) remember();
    const stored = pending && new Promise<void>((resolve) => (pending.allStored = resolve)).then(remember);
    const process = async () => {
      if (stored) await stored;
      this.#needs.process(collected);
    };
    this.#needs.tasks.add(this.#closing.run(arrivalKeyOf(collected.phyPayload), process));
  }

  #addTo(collected: CollectedUplink, rxInfo: gw.UplinkRXInfo, journalID: JournalID): void {
    if (!addReception(collected, rxInfo, journalID)) this.#needs.surplus();
  }

  #add(
    key: string | null,
    frame: gw.UplinkFrame,
    { id, receivedAt }: StoredCopy,
    { isTooLateToAnswer = false, waitedMs = 0 }: { isTooLateToAnswer?: boolean; waitedMs?: number },
  ): void {
    const { phyPayload, txInfo, rxInfo } = frame;
    if (key === null || !txInfo || !rxInfo) return this.#needs.late(id, null);
    const collected = this.#seen.get(key);
    if (collected === null) return this.#needs.late(id, frame);
    if (collected) return this.#addTo(collected, rxInfo, id);
    const first = { phyPayload, txInfo, rxInfo: [rxInfo], journalIDs: [id], isTooLateToAnswer };
    this.#seen.set(key, receivedAt === undefined ? first : { ...first, receivedAt });
    this.#collecting.add(key, waitedMs);
  }

  #expectCopy(frame: gw.UplinkFrame): ExpectedCopy {
    const key = frame.txInfo && uplinkKeyOf(frame.phyPayload, frame.txInfo);
    if (!key) return { key: null, pending: null };
    const pending = this.#pendingByKey.get(key) ?? { count: 0 };
    pending.count += 1;
    this.#pendingByKey.set(key, pending);
    return { key, pending };
  }

  #endCopy({ key, pending }: ExpectedCopy): void {
    if (!pending) return;
    pending.count -= 1;
    if (pending.count > 0) return;
    if (this.#pendingByKey.get(key) === pending) this.#pendingByKey.delete(key);
    pending.allStored?.();
  }
}

/** Groups copies from the journal by uplink. */
export function groupCopies(copies: Iterable<{ frame: gw.UplinkFrame; id: JournalID }>): CollectedUplink[] {
  const uplinks = new Map<string, CollectedUplink>();
  for (const { frame, id } of copies) {
    const { phyPayload, txInfo, rxInfo } = frame;
    if (!txInfo || !rxInfo) continue;
    const key = uplinkKeyOf(phyPayload, txInfo);
    const known = uplinks.get(key);
    if (known) addReception(known, rxInfo, id);
    else uplinks.set(key, { phyPayload, txInfo, rxInfo: [rxInfo], journalIDs: [id], isTooLateToAnswer: true });
  }
  return [...uplinks.values()];
}

/** Adds a copy; a known reception only adds its id. False: the gateway has no antenna left for one more reception. */
export function addReception(collected: CollectedUplink, rxInfo: gw.UplinkRXInfo, journalID: JournalID): boolean {
  collected.journalIDs.push(journalID);
  if (collected.rxInfo.some((known) => isSameReception(known, rxInfo))) return true;
  const ofGateway = collected.rxInfo.filter(({ gatewayID }) => equalBytes(gatewayID, rxInfo.gatewayID));
  if (ofGateway.length >= mostReceptions) return false;
  collected.rxInfo.push(rxInfo);
  return true;
}

/** A gateway without a timely acknowledgement may send a frame again. */
function isSameReception(a: gw.UplinkRXInfo, b: gw.UplinkRXInfo): boolean {
  return equalBytes(a.gatewayID, b.gatewayID) && a.antenna === b.antenna && equalBytes(a.context, b.context);
}

/** Copies of one uplink have the same key. The same bytes on another frequency or data rate are another uplink. */
export function uplinkKeyOf(phyPayload: Uint8Array, txInfo: gw.UplinkTXInfo): string {
  const { frequency, loRaModulationInfo, fskModulationInfo, lrFHSSModulationInfo } = txInfo;
  const rate =
    loRaModulationInfo?.spreadingFactor ?? fskModulationInfo?.datarate ?? lrFHSSModulationInfo?.operatingChannelWidth;
  const width = loRaModulationInfo?.bandwidth ?? lrFHSSModulationInfo?.codeRate ?? '';
  return `${frequency}/${rate}/${width}/${phyPayload.toHex()}`;
}
