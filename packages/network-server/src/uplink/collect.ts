import { equalBytes } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { createDelayQueue } from '../platform/delay-queue.ts';
import type { Clock } from '../platform/runtime.ts';
import type { CopyOwner } from '../ports/cross-instance-deduplication.ts';
import type { JournalID } from '../state/state.ts';

/** Of one uplink by one gateway, one for each antenna. */
const mostReceptions = 16;

/**
 * Each way to the database and to what processes share is gone once for all uplinks whose windows close together: the more
 * there are, the longer they wait for each other. Of a few processes each has so few that hardly two would.
 */
const gathering = {
  shared: { from: 0, perUplinkMs: 0.1, mostMs: 10 },
  alone: { from: 50, perUplinkMs: 0.015, mostMs: 5 },
};

/**
 * The way to disk is a part of the window up to this. Where it takes longer the server is behind, and other copies may wait
 * to be read.
 */
const mostWaitedMs = 10;

/** One uplink with everybody who heard it. */
export interface CollectedUplink {
  phyPayload: Uint8Array;
  txInfo: gw.UplinkTXInfo;
  rxInfo: gw.UplinkRXInfo[];
  journalIDs: JournalID[];
  /** Of each copy, when network servers of other processes may have heard the uplink too. */
  owners?: Promise<CopyOwner>[];
  /** Then also when the first one came at the earliest, in milliseconds since 1970. */
  receivedAt?: number;
  /** Received before a restart: its windows have passed, so that nothing is answered. */
  isRecovered: boolean;
  /** Once the window has passed: resolves when no copy that came before is on its way to disk any more. */
  allCopiesStored?: Promise<void>;
}

/** Where others say a copy belongs, and when it came, in milliseconds since 1970. */
type Shared = { place: Promise<CopyOwner>; receivedAt: number };

/** Copies that have come and are on their way to disk. */
interface Arriving {
  /** That one of them is on disk. */
  add(place: number, journalID: JournalID, shared: Shared | undefined): void;
  /** All of them are, or will not be any more. */
  end(): void;
}

interface Awaited {
  copies: number;
  allArrived?: () => void;
}
/** `key` is null when it is no uplink at all. */
type Expected = { key: string; awaited: Awaited } | { key: null; awaited: null };

/**
 * Gathers the copies of one uplink from several gateways. The first copy opens a window of `delayMs()`; what came in it is
 * waited for until it is on disk. The window closes when processing begins, never before. Copies that come later are given
 * to `late`, as long as the uplink is remembered.
 */
export function createCollector(needs: {
  clock: Clock;
  delayMs: () => number;
  process: (collected: CollectedUplink) => void;
  /** `frame` is null when it is no uplink at all. */
  late: (journalID: JournalID, frame: gw.UplinkFrame | null) => void;
  /** One gateway claims to have heard it more often than it has antennas. */
  surplus: () => void;
  /**
   * Other processes take copies of the same uplinks. What is left of an uplink that one of them was to handle is no late
   * copy of it then.
   */
  isShared: boolean;
}) {
  const { clock, delayMs } = needs;
  const { from, perUplinkMs, mostMs } = needs.isShared ? gathering.shared : gathering.alone;
  /** The copies so far, or null when the uplink was processed and only its key is remembered. */
  const seen = new Map<string, CollectedUplink | null>();
  /** Of uplinks whose windows are open: the copies that are on their way to disk. */
  const arriving = new Map<string, Awaited>();
  const forgetting = createDelayQueue<string>(
    clock,
    () => Math.max(2 * delayMs(), 200),
    (key) => seen.delete(key),
  );
  const collecting = createDelayQueue<string>(
    clock,
    delayMs,
    (key) => {
      const collected = seen.get(key);
      if (!collected) return;
      const close = () => {
        seen.set(key, null);
        forgetting.add(key);
      };
      const awaited = arriving.get(key);
      // What comes from now on keeps nobody waiting.
      arriving.delete(key);
      if (awaited)
        collected.allCopiesStored = new Promise<void>((resolve) => (awaited.allArrived = resolve)).then(close);
      else close();
      needs.process(collected);
    },
    (waiting) => Math.min(Math.max(waiting - from, 0) * perUplinkMs, mostMs),
  );

  function addTo(collected: CollectedUplink, rxInfo: gw.UplinkRXInfo, journalID: JournalID): void {
    if (!addReception(collected, rxInfo, journalID)) needs.surplus();
  }

  function add(
    key: string | null,
    frame: gw.UplinkFrame,
    journalID: JournalID,
    {
      isRecovered = false,
      waitedMs = 0,
      shared,
    }: { isRecovered?: boolean; waitedMs?: number; shared?: Shared | undefined },
  ): void {
    const { phyPayload, txInfo, rxInfo } = frame;
    if (key === null || !txInfo || !rxInfo) return needs.late(journalID, null);
    const collected = seen.get(key);
    if (collected === null) return needs.late(journalID, frame);
    if (collected) {
      addTo(collected, rxInfo, journalID);
      if (shared) collected.owners?.push(shared.place);
      return;
    }
    const first = { phyPayload, txInfo, rxInfo: [rxInfo], journalIDs: [journalID], isRecovered };
    seen.set(key, shared ? { ...first, owners: [shared.place], receivedAt: shared.receivedAt } : first);
    collecting.add(key, waitedMs);
  }

  function expect(frame: gw.UplinkFrame): Expected {
    const key = frame.txInfo && keyOf(frame.phyPayload, frame.txInfo);
    if (!key) return { key: null, awaited: null };
    const awaited = arriving.get(key) ?? { copies: 0 };
    awaited.copies += 1;
    arriving.set(key, awaited);
    return { key, awaited };
  }

  function arrived({ key, awaited }: Expected): void {
    if (!awaited) return;
    awaited.copies -= 1;
    if (awaited.copies > 0) return;
    if (arriving.get(key) === awaited) arriving.delete(key);
    awaited.allArrived?.();
  }

  return {
    /** Copies that have just come: their window begins now, and not only when they are on disk. */
    expect(frames: readonly gw.UplinkFrame[]): Arriving {
      const cameAt = clock.monotonicMs();
      const expected = frames.map(expect);
      return {
        add(place, journalID, shared) {
          // Processes tell each other of copies once these are on disk.
          const waitedMs = needs.isShared ? 0 : Math.min(clock.monotonicMs() - cameAt, mostWaitedMs);
          add(expected[place]!.key, frames[place]!, journalID, { waitedMs, shared });
        },
        end: () => expected.forEach(arrived),
      };
    },
    /** A copy that has been on disk for longer. */
    add(frame: gw.UplinkFrame, journalID: JournalID, isRecovered = false): void {
      const { phyPayload, txInfo } = frame;
      const key = txInfo && `${isRecovered && needs.isShared ? 'recovered ' : ''}${keyOf(phyPayload, txInfo)}`;
      add(key ?? null, frame, journalID, { isRecovered });
    },
    /** One more copy of an uplink whose window has closed. `false`: it is of another one. */
    join(collected: CollectedUplink, { phyPayload, txInfo, rxInfo }: gw.UplinkFrame, journalID: JournalID): boolean {
      if (!txInfo || !rxInfo || keyOf(phyPayload, txInfo) !== keyOf(collected.phyPayload, collected.txInfo))
        return false;
      addTo(collected, rxInfo, journalID);
      return true;
    },
    /** Processes what has been collected so far, without waiting any longer. */
    hurry: () => collecting.flush(),
    /** Forgets which uplinks were processed. */
    forget(): void {
      forgetting.clear();
      seen.clear();
    },
  };
}

/** Puts copies out of the journal together, whose windows have passed. */
export function createGathering() {
  const found = new Map<string, CollectedUplink>();
  return {
    gather({ phyPayload, txInfo, rxInfo }: gw.UplinkFrame, journalID: JournalID): void {
      if (!txInfo || !rxInfo) return;
      const key = keyOf(phyPayload, txInfo);
      const known = found.get(key);
      if (known) addReception(known, rxInfo, journalID);
      else found.set(key, { phyPayload, txInfo, rxInfo: [rxInfo], journalIDs: [journalID], isRecovered: true });
    },
    gathered: () => [...found.values()],
  };
}

/** `false`: of one more antenna than its gateway has. */
function addReception(collected: CollectedUplink, rxInfo: gw.UplinkRXInfo, journalID: JournalID): boolean {
  collected.journalIDs.push(journalID);
  if (collected.rxInfo.some((known) => isSameReception(known, rxInfo))) return true;
  const ofGateway = collected.rxInfo.filter(({ gatewayID }) => equalBytes(gatewayID, rxInfo.gatewayID));
  if (ofGateway.length >= mostReceptions) return false;
  collected.rxInfo.push(rxInfo);
  return true;
}

/** A gateway that got no acknowledgement in time may send what it heard once more. */
function isSameReception(a: gw.UplinkRXInfo, b: gw.UplinkRXInfo): boolean {
  return equalBytes(a.gatewayID, b.gatewayID) && a.antenna === b.antenna && equalBytes(a.context, b.context);
}

/** The same bytes on another frequency or data-rate are another uplink. */
export function keyOf(phyPayload: Uint8Array, txInfo: gw.UplinkTXInfo): string {
  const { frequency, loRaModulationInfo, fskModulationInfo, lrFHSSModulationInfo } = txInfo;
  const rate =
    loRaModulationInfo?.spreadingFactor ?? fskModulationInfo?.datarate ?? lrFHSSModulationInfo?.operatingChannelWidth;
  const width = loRaModulationInfo?.bandwidth ?? lrFHSSModulationInfo?.codeRate ?? '';
  return `${frequency}/${rate}/${width}/${phyPayload.toHex()}`;
}
