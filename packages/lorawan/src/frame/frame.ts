import type { CFList } from './cf-list.ts';

/** Message types in the order of their three bits in the MHDR (LoRaWAN 1.1 §4.2.1). */
export const mTypes = [
  'JoinRequest',
  'JoinAccept',
  'UnconfirmedDataUp',
  'UnconfirmedDataDown',
  'ConfirmedDataUp',
  'ConfirmedDataDown',
  'RejoinRequest',
  'Proprietary',
] as const;

export type MType = (typeof mTypes)[number];
export type DataMType = 'UnconfirmedDataUp' | 'UnconfirmedDataDown' | 'ConfirmedDataUp' | 'ConfirmedDataDown';
export type Direction = 'up' | 'down';

export interface JoinRequestFrame {
  mType: 'JoinRequest';
  major: number;
  joinEUI: string;
  devEUI: string;
  devNonce: number;
  mic: Uint8Array;
}

/** A join-accept as transmitted. `bytes` is payload and MIC, both encrypted; see openJoinAccept. */
export interface JoinAcceptFrame {
  mType: 'JoinAccept';
  major: number;
  bytes: Uint8Array;
}

/** The content of a join-accept. rxDelay in seconds, 0 means 1. */
export interface JoinAccept {
  joinNonce: number;
  netID: string;
  devAddr: string;
  dlSettings: DLSettings;
  rxDelay: number;
  cFList: CFList | null;
}

export interface DLSettings {
  /** Set by a network that uses LoRaWAN 1.1 with this device. */
  optNeg: boolean;
  rx1DROffset: number;
  rx2DataRate: number;
}

/** adrAckReq and classB exist on uplinks, fPending on downlinks; elsewhere they are false. */
export interface FCtrl {
  adr: boolean;
  adrAckReq: boolean;
  ack: boolean;
  fPending: boolean;
  classB: boolean;
}

/**
 * fCnt is the 16 transmitted bits. fOpts and frmPayload are as transmitted, possibly encrypted; fPort null means no
 * FPort field.
 */
export interface DataFrame {
  mType: DataMType;
  major: number;
  devAddr: string;
  fCtrl: FCtrl;
  fCnt: number;
  fOpts: Uint8Array;
  fPort: number | null;
  frmPayload: Uint8Array;
  mic: Uint8Array;
}

export type RejoinRequestFrame = {
  mType: 'RejoinRequest';
  major: number;
  devEUI: string;
  /** RJcount0 for the types 0 and 2, RJcount1 for type 1. */
  rjCount: number;
  mic: Uint8Array;
} & ({ rejoinType: 0 | 2; netID: string } | { rejoinType: 1; joinEUI: string });

export interface ProprietaryFrame {
  mType: 'Proprietary';
  major: number;
  /** MACPayload with any content. */
  bytes: Uint8Array;
  mic: Uint8Array;
}

export type Frame = JoinRequestFrame | JoinAcceptFrame | DataFrame | RejoinRequestFrame | ProprietaryFrame;

/** The direction of frames of this type; a proprietary frame has none and counts as uplink. */
export function directionOf(mType: MType): Direction {
  return mType === 'JoinAccept' || mType === 'UnconfirmedDataDown' || mType === 'ConfirmedDataDown' ? 'down' : 'up';
}

export function isDataFrame(frame: Frame): frame is DataFrame {
  return 'fCtrl' in frame;
}
