import { equalBytes } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { createDelayLine } from '../delay-line.ts';
import type { JournalID } from '../state/state.ts';
import type { Clock } from '../surroundings.ts';
import type { Place } from './shared-copies.ts';

/** Of one uplink by one gateway, one for each antenna. */
const mostReceptions = 16;

/**
 * Each way to the database and to what processes share is gone once for all uplinks whose windows close together. Of a few
 * processes each has so few that hardly two would: the more there are, the longer they wait for each other.
 */
const gatherPerUplinkMs = 0.1;
const mostGatherMs = 10;

/** One uplink with everybody who heard it. */
export interface Collected {
  phyPayload: Uint8Array;
  txInfo: gw.UplinkTXInfo;
  rxInfo: gw.UplinkRXInfo[];
  journalIDs: JournalID[];
  /** Of each copy, when network servers of other processes may have heard the uplink too. */
  places?: Promise<Place>[];
  /** Then also when the first one came at the earliest, in milliseconds since 1970. */
  receivedAt?: number;
  /** Received before a restart: its windows have passed, so that nothing is answered. */
  isRecovered: boolean;
}

/**
 * Gathers the copies of one uplink from several gateways. The first copy opens a window of `delayMs()`; the window closes
 * when processing begins, never before. Copies that come later are given to `late`, as long as the uplink is remembered.
 */
export function createCollector(needs: {
  clock: Clock;
  delayMs: () => number;
  process: (collected: Collected) => void;
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
  /** The copies so far, or null when the uplink was processed and only its key is remembered. */
  const seen = new Map<string, Collected | null>();
  const forgetting = createDelayLine<string>(
    clock,
    () => Math.max(2 * delayMs(), 200),
    (key) => seen.delete(key),
  );
  const collecting = createDelayLine<string>(
    clock,
    delayMs,
    (key) => {
      const collected = seen.get(key);
      if (!collected) return;
      seen.set(key, null);
      forgetting.add(key);
      needs.process(collected);
    },
    needs.isShared ? (waiting) => Math.min(waiting * gatherPerUplinkMs, mostGatherMs) : undefined,
  );

  function addTo(collected: Collected, rxInfo: gw.UplinkRXInfo, journalID: JournalID): void {
    if (!addReception(collected, rxInfo, journalID)) needs.surplus();
  }

  return {
    /** `shared`: where others say it belongs, and when it came, in milliseconds since 1970. */
    add(
      frame: gw.UplinkFrame,
      journalID: JournalID,
      isRecovered = false,
      shared?: { place: Promise<Place>; receivedAt: number },
    ): void {
      const { phyPayload, txInfo, rxInfo } = frame;
      if (!txInfo || !rxInfo) return needs.late(journalID, null);
      const key = `${isRecovered && needs.isShared ? 'recovered ' : ''}${keyOf(phyPayload, txInfo)}`;
      const collected = seen.get(key);
      if (collected === null) return needs.late(journalID, frame);
      if (collected) {
        addTo(collected, rxInfo, journalID);
        if (shared) collected.places?.push(shared.place);
        return;
      }
      const first = { phyPayload, txInfo, rxInfo: [rxInfo], journalIDs: [journalID], isRecovered };
      seen.set(key, shared ? { ...first, places: [shared.place], receivedAt: shared.receivedAt } : first);
      collecting.add(key);
    },
    /** One more copy of an uplink whose window has closed. `false`: it is of another one. */
    join(collected: Collected, { phyPayload, txInfo, rxInfo }: gw.UplinkFrame, journalID: JournalID): boolean {
      if (!txInfo || !rxInfo || keyOf(phyPayload, txInfo) !== keyOf(collected.phyPayload, collected.txInfo))
        return false;
      addTo(collected, rxInfo, journalID);
      return true;
    },
    /** Processes what has been collected so far, without waiting any longer. */
    hurry: () => collecting.hurry(),
    /** Forgets which uplinks were processed. */
    forget(): void {
      forgetting.clear();
      seen.clear();
    },
  };
}

/** Puts copies out of the journal together, whose windows have passed. */
export function createGathering() {
  const found = new Map<string, Collected>();
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
function addReception(collected: Collected, rxInfo: gw.UplinkRXInfo, journalID: JournalID): boolean {
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
