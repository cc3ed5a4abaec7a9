import type { MacCommand, Region } from '@hilltop/lorawan';
import {
  decodeFrame,
  deriveJoinServerKeys,
  deriveSessionKeys10,
  deriveSessionKeys11,
  encodeFrame,
  joinRequestMic,
  macCommand,
  openJoinAccept,
} from '@hilltop/lorawan';
import type { DeviceSession } from './session.ts';
import { joinedRadio, newSession } from './session.ts';

export interface RootKeys {
  nwkKey: Uint8Array;
  appKey: Uint8Array;
}

export interface Joining {
  rootKeys: RootKeys;
  devEUI: string;
  joinEUI: string;
  devNonce: number;
  macVersion: string;
  region: Region;
  /** The data-rate of the join-request, with which the session begins. */
  dataRate: number;
}

export interface Joined {
  session: DeviceSession;
  joinNonce: number;
  /** The commands that the device sends until the network confirms them. */
  firstWords: MacCommand[];
}

export function buildJoinRequest(rootKeys: RootKeys, joinEUI: string, devEUI: string, devNonce: number): Uint8Array {
  const request = { mType: 'JoinRequest', major: 0, joinEUI, devEUI, devNonce } as const;
  const unsigned = encodeFrame({ ...request, mic: new Uint8Array(4) }).subarray(0, -4);
  return encodeFrame({ ...request, mic: joinRequestMic(rootKeys.nwkKey, unsigned) });
}

/** Decrypts a join-accept; null when its MIC is wrong. @throws FrameError */
export function acceptJoin(phyPayload: Uint8Array, joining: Joining): Joined | null {
  decodeFrame(phyPayload);
  return (joining.macVersion.startsWith('1.1') ? accept11(phyPayload, joining) : null) ?? accept10(phyPayload, joining);
}

/** A 1.1 network sets OptNeg and signs with the JSIntKey (LoRaWAN 1.1 §6.2.3). */
function accept11(phyPayload: Uint8Array, joining: Joining): Joined | null {
  const { rootKeys, devEUI, joinEUI, devNonce } = joining;
  const { jsIntKey } = deriveJoinServerKeys(rootKeys.nwkKey, devEUI);
  const answered = { joinReqType: 0xff, joinEUI, devNonce } as const;
  const opened = openJoinAccept(phyPayload, { encryptionKey: rootKeys.nwkKey, micKey: jsIntKey, answered });
  if (!opened.isMicValid || !opened.accept.dlSettings.optNeg) return null;
  const { accept } = opened;
  const keys = deriveSessionKeys11(rootKeys, { joinNonce: accept.joinNonce, joinEUI, devNonce });
  const radio = joinedRadio(joining.region, accept, joining.dataRate);
  return {
    session: newSession({ devAddr: accept.devAddr, version: '1.1', keys, radio }),
    joinNonce: accept.joinNonce,
    firstWords: [macCommand('RekeyInd', { devLoRaWANVersion: { minor: 1 } })],
  };
}

function accept10(phyPayload: Uint8Array, joining: Joining): Joined | null {
  const { nwkKey } = joining.rootKeys;
  const { accept, isMicValid } = openJoinAccept(phyPayload, { encryptionKey: nwkKey, micKey: nwkKey, answered: null });
  if (!isMicValid) return null;
  const { joinNonce, netID, devAddr } = accept;
  const keys = deriveSessionKeys10(nwkKey, { joinNonce, netID, devNonce: joining.devNonce });
  const radio = joinedRadio(joining.region, accept, joining.dataRate);
  return { session: newSession({ devAddr, version: '1.0', keys, radio }), joinNonce, firstWords: [] };
}
