import type { gw } from '@hilltop/protobuf';
import { createDelayQueue } from '../platform/delay-queue.ts';
import type { Clock } from '../platform/runtime.ts';
import type { ReceiveWindowName } from '../ports/downlink-reports.ts';
import type { DueClaim } from '../state/due.ts';
import type { Receiver } from '../state/session.ts';
import type { MulticastItemID } from '../state/state.ts';

/** A downlink that a gateway has and has not answered. */
export type Transmission = DeviceTransmission | GroupTransmission | PingTransmission;

interface SentFrame {
  frame: gw.DownlinkFrame;
  devAddr: string;
}

/** To all devices of a multicast-group in reach of the gateway. */
export interface GroupTransmission extends SentFrame {
  itemID: MulticastItemID;
}

/** To other gateways; sending it changes no state. */
export interface PingTransmission extends SentFrame {
  isPing: true;
  /** The status that the gateway reports. */
  onAnswer?: (status: gw.TxAckStatus) => void;
}

export interface DeviceTransmission extends SentFrame {
  devEUI: string;
  /**
   * The frames for the device's frame log (FOpts and FPort 0 in plain text), one per item of `frame`; null: not shown.
   */
  clear: (Uint8Array | null)[];
  /** The downlink that a relay forwards when it receives this one. */
  forwarded?: gw.DownlinkFrame;
  /** The data that was sent, one per item of `frame`; empty for a join-accept. */
  data: SentData[];
  /** The gateways to try next when this one refuses every window. */
  others?: OtherGateways;
  /**
   * The claim on the queue of a class B or C device under which it was sent; it stays open until the gateway answers.
   */
  claim?: DueClaim;
}

/** The other gateways that received the uplink which a transmission answers, best first. */
interface OtherGateways {
  receivers: readonly Receiver[];
  /**
   * About when the uplink was received: the time of processing minus the deduplication window, in milliseconds since
   * 1970. Windows are counted from this time.
   */
  receivedAt: number;
}

export interface SentData {
  sessionID: string;
  fCnt: number;
  window: ReceiveWindowName;
  dr: number;
  /** Set when application data was sent. */
  queueItemID: string | null;
  /** Contains DevStatusReq, which counts as requested once a gateway has accepted it. */
  asksStatus: boolean;
}

export interface Transmissions {
  add(transmission: Transmission): void;
  /** Returns a transmission once. */
  take(downlinkID: Uint8Array): Transmission | null;
  /** Removes all; later answers of gateways are ignored. */
  clear(): void;
}

const rememberMs = 20_000;

export function createTransmissions(clock: Clock): Transmissions {
  const waiting = new Map<string, Transmission>();
  const forgetting = createDelayQueue<string>(
    clock,
    () => rememberMs,
    (id) => waiting.delete(id),
  );
  return {
    add(transmission) {
      const id = transmission.frame.downlinkID.toHex();
      waiting.set(id, transmission);
      forgetting.add(id);
    },
    take(downlinkID) {
      const id = downlinkID.toHex();
      const transmission = waiting.get(id) ?? null;
      waiting.delete(id);
      return transmission;
    },
    clear() {
      forgetting.clear();
      waiting.clear();
    },
  };
}
