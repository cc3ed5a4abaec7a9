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

/** What processing an uplink came to; nothing has happened yet. */
export interface Decision {
  dropped: DropReason | null;
  devEUI: string | null;
  writes: Write[];
  effects: Effect[];
  /** A confirmed uplink that was processed before: how long after the last uplink of its device it came. */
  repeated?: 'within-20s' | 'later';
  /** To be shown once all is on disk. */
  deviceFrame: FrameLogEntry | null;
  /** What the device may get in return, a little later. */
  response: Response | null;
  /** What a relay forwarded in it, to be on disk before its own uplink is. */
  forwarded?: gw.UplinkFrame | null;
  /** What goes to a gateway at once, a join-accept, by the one that is best at that moment; null: none can send it. */
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
