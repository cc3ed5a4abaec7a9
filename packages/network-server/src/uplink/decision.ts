import type { gw } from '@hilltop/protobuf';
import type { Response } from '../downlink/class-a.ts';
import type { FrameLogEntry } from '../network/frame-log.ts';
import type { DeviceTransmission } from '../network/transmissions.ts';
import type { Effect } from '../state/effect.ts';
import type { Write } from '../state/state.ts';

/** Why an uplink came to nothing. */
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

/** The result of processing an uplink; nothing has happened yet. */
export interface Decision {
  dropped: DropReason | null;
  devEUI: string | null;
  writes: Write[];
  effects: Effect[];
  /** A confirmed uplink that was processed before: how long after the last uplink of its device it came. */
  repeated?: 'within-20s' | 'later';
  /** To be shown once all is on disk. */
  deviceFrame: FrameLogEntry | null;
  /** The response that the device may get a moment later. */
  response: Response | null;
  /** The frame that a relay forwarded in this uplink; it is stored before this uplink is finished. */
  forwarded?: gw.UplinkFrame | null;
  /** A join-accept, which is sent at once through the best gateway at that moment; null: no gateway can send it. */
  accept: (() => DeviceTransmission | null) | null;
}

export interface Dropped {
  dropped: DropReason;
  devEUI?: string;
  effects?: Effect[];
  /** Shown in the device's frame log all the same. */
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
    accept: null,
  };
}
