import type { gw } from '@hilltop/protobuf';
import type { UplinkResponse } from '../downlink/class-a.ts';
import type { FrameLogEntry } from '../network/frame-log.ts';
import type { DeviceTransmission } from '../network/transmissions.ts';
import type { Effect } from '../state/effect.ts';
import type { Write } from '../state/state.ts';

/** Why an uplink was dropped. */
export type DropReason =
  | 'not-a-frame'
  | 'unknown-gateway'
  | 'bad-crc'
  | 'unknown-data-rate'
  | 'unknown-channel'
  | 'downlink-type'
  | 'unknown-device'
  | 'wrong-mic'
  | 'retransmission'
  | 'late-copy'
  | 'repetition'
  | 'fcnt-reset'
  | 'device-disabled'
  | 'profile-missing'
  | 'private-gateways'
  | 'join-not-supported'
  | 'join-refused'
  | 'nonce-used'
  | 'no-session'
  | 'rejoin-not-supported'
  | 'wrong-network'
  | 'counter-too-low'
  | 'proprietary'
  | 'too-late';

/** The result of processing an uplink, before anything is written. */
export interface Decision {
  dropped: DropReason | null;
  devEUI: string | null;
  writes: Write[];
  effects: Effect[];
  /** Set for a repeated confirmed uplink: how long after the last uplink of its device it arrived. */
  repeated?: 'within-20s' | 'later';
  /** Shown when everything is on disk. */
  deviceFrame: FrameLogEntry | null;
  /** The response that the device may get a moment later. */
  response: UplinkResponse | null;
  /** The frame that a relay forwarded in this uplink; it is stored before this uplink is finished. */
  forwarded?: gw.UplinkFrame | null;
  /** A join-accept, which is sent at once through the best gateway at that moment; null: no gateway can send it. */
  joinAccept: (() => DeviceTransmission | null) | null;
}

export interface Dropped {
  dropped: DropReason;
  devEUI?: string;
  effects?: Effect[];
  /** Shown in the device's frame log although the uplink is dropped. */
  deviceFrame?: FrameLogEntry;
}

export function decisionOf({ dropped, devEUI = '', effects = [], deviceFrame }: Dropped): Decision {
  return {
    dropped,
    devEUI: devEUI || null,
    writes: [],
    effects,
    deviceFrame: deviceFrame ?? null,
    response: null,
    joinAccept: null,
  };
}
