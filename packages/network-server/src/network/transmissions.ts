import type { gw } from '@hilltop/protobuf';
import { createDelayQueue } from '../platform/delay-queue.ts';
import type { Clock } from '../platform/runtime.ts';
import type { DueClaim } from '../state/due.ts';
import type { Receiver } from '../state/session.ts';
import type { MulticastPlace } from '../state/state.ts';

/** A downlink handed to a gateway, until the gateway says what became of it. */
export type Transmission = DeviceTransmission | GroupTransmission | PingTransmission;

interface HandedOver {
  frame: gw.DownlinkFrame;
  devAddr: string;
}

/** To all devices of a multicast-group that hear the gateway. */
export interface GroupTransmission extends HandedOver {
  place: MulticastPlace;
}

/** To other gateways, for none of which it means anything that it was sent. */
export interface PingTransmission extends HandedOver {
  isPing: true;
  /** What the gateway says became of it. */
  onAnswer?: (status: gw.TxAckStatus) => void;
}

export interface DeviceTransmission extends HandedOver {
  devEUI: string;
  /** The frames as the device's frame log shows them (FOpts and FPort 0 in clear), one per item of `frame`; null: not. */
  clear: (Uint8Array | null)[];
  /** What a relay forwards when it hears this. */
  forwarded?: gw.DownlinkFrame;
  /** What was sent, one per item of `frame`; empty for a join-accept. */
  data: SentData[];
  /** Where it may leave next when its gateway refuses every window. */
  others?: OtherGateways;
  /** The turn of the queue of a listening device in which it left, which goes on until its gateway answers. */
  claim?: DueClaim;
}

/** The other gateways that heard the uplink a transmission answers, best first. */
interface OtherGateways {
  receivers: readonly Receiver[];
  /** When the uplink was heard, in milliseconds since 1970: windows are counted from there. */
  heardAt: number;
}

export interface SentData {
  sessionID: string;
  fCnt: number;
  /** Set when application data was sent. */
  queueItemID: string | null;
  /** DevStatusReq is in it, which counts as asked once a gateway has taken it. */
  asksStatus: boolean;
}

export interface Transmissions {
  add(transmission: Transmission): void;
  /** Answers once. */
  take(downlinkID: Uint8Array): Transmission | null;
  /** Forgets all; what gateways say afterwards is ignored. */
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
