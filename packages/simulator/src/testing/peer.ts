/** A minimal network side of a device's session. */
import type { CFList, DataFrame, DLSettings, MacCommand, SessionKeys } from '@hilltop/lorawan';
import {
  cryptFOpts,
  cryptFRMPayload,
  dataMic,
  decodeFrame,
  decodeMacCommands,
  deriveJoinServerKeys,
  deriveSessionKeys10,
  deriveSessionKeys11,
  encodeFrame,
  encodeMacCommands,
  isDataFrame,
  isDataMicValid,
  joinRequestMic,
  sealJoinAccept,
} from '@hilltop/lorawan';
import type { Transmission } from '../device/transmission.ts';

export interface Peer {
  devAddr: string;
  keys: SessionKeys;
  version: '1.0' | '1.1';
}

const netID = '000013';

/** Answers a join-request with the encrypted join-accept and the resulting session. Throws when the MIC is wrong. */
export function answerJoin(
  { phyPayload }: Pick<Transmission, 'phyPayload'>,
  root: { nwkKey: Uint8Array; appKey: Uint8Array },
  accept: { devAddr: string; joinNonce: number; rxDelay?: number; dlSettings?: Partial<DLSettings>; cFList?: CFList },
): { phyPayload: Uint8Array; peer: Peer } {
  const request = decodeFrame(phyPayload);
  if (request.mType !== 'JoinRequest') throw new Error('This is no join-request.');
  const mic = joinRequestMic(root.nwkKey, phyPayload.subarray(0, -4));
  if (mic.toHex() !== request.mic.toHex()) throw new Error('The MIC of the join-request is wrong.');
  const { joinEUI, devEUI, devNonce } = request;
  const { joinNonce, devAddr, rxDelay = 1, cFList = null } = accept;
  const dlSettings = { optNeg: false, rx1DROffset: 0, rx2DataRate: 0, ...accept.dlSettings };
  const is11 = dlSettings.optNeg;
  const bytes = sealJoinAccept(
    { joinNonce, netID, devAddr, dlSettings, rxDelay, cFList },
    {
      encryptionKey: root.nwkKey,
      micKey: is11 ? deriveJoinServerKeys(root.nwkKey, devEUI).jsIntKey : root.nwkKey,
      answered: is11 ? { joinReqType: 0xff, joinEUI, devNonce } : null,
    },
  );
  const keys = is11
    ? deriveSessionKeys11(root, { joinNonce, joinEUI, devNonce })
    : deriveSessionKeys10(root.nwkKey, { joinNonce, netID, devNonce });
  return { phyPayload: bytes, peer: { devAddr, keys, version: is11 ? '1.1' : '1.0' } };
}

export interface ReadUplink {
  frame: DataFrame;
  data: Uint8Array;
  commands: MacCommand[];
}

/** Verifies and decrypts an uplink. Throws when the MIC is wrong. */
export function readUplink(
  { devAddr, keys, version }: Peer,
  { phyPayload, dataRate, channel }: Pick<Transmission, 'phyPayload' | 'dataRate' | 'channel'>,
  { fCnt, confFCnt = 0 }: { fCnt: number; confFCnt?: number },
): ReadUplink {
  const frame = decodeFrame(phyPayload);
  if (!isDataFrame(frame) || frame.devAddr !== devAddr) throw new Error('This is no frame of the device.');
  const context = { version, ...keys, fCnt, confFCnt, txDr: dataRate, txCh: channel };
  if (!isDataMicValid(phyPayload, context)) throw new Error('The MIC of the uplink is wrong.');
  const cipher = { devAddr, fCnt, direction: 'up' } as const;
  const isMac = frame.fPort === 0;
  const data = cryptFRMPayload(isMac ? keys.nwkSEncKey : keys.appSKey, cipher, frame.frmPayload);
  const fOpts =
    version === '1.1' ? cryptFOpts(keys.nwkSEncKey, { ...cipher, usesAFCntDown: false }, frame.fOpts) : frame.fOpts;
  return { frame, data, commands: decodeMacCommands('up', isMac ? data : fOpts) };
}

/** Builds a downlink of the network. */
export function buildDownlink(
  { devAddr, keys, version }: Peer,
  message: {
    fCnt: number;
    fPort?: number;
    data?: Uint8Array;
    confirmed?: boolean;
    ack?: boolean;
    confFCnt?: number;
    fPending?: boolean;
    commands?: MacCommand[];
  },
): Uint8Array {
  const { fCnt, fPort = null, data = new Uint8Array(), ack = false, confFCnt = 0, commands = [] } = message;
  const cipher = { devAddr, fCnt, direction: 'down' } as const;
  const clearOpts = encodeMacCommands('down', commands);
  const usesAFCntDown = fPort !== null && fPort > 0;
  const inPayload = fPort === 0 ? clearOpts : data;
  const frame: DataFrame = {
    mType: message.confirmed ? 'ConfirmedDataDown' : 'UnconfirmedDataDown',
    major: 0,
    devAddr,
    fCtrl: { adr: true, adrAckReq: false, ack, fPending: message.fPending ?? false, classB: false },
    fCnt: fCnt % 0x10000,
    fOpts:
      fPort === 0
        ? new Uint8Array()
        : version === '1.1'
          ? cryptFOpts(keys.nwkSEncKey, { ...cipher, usesAFCntDown }, clearOpts)
          : clearOpts,
    fPort,
    frmPayload:
      fPort === null
        ? new Uint8Array()
        : cryptFRMPayload(fPort === 0 ? keys.nwkSEncKey : keys.appSKey, cipher, inPayload),
    mic: new Uint8Array(4),
  };
  frame.mic = dataMic(encodeFrame(frame).subarray(0, -4), { version, ...keys, fCnt, confFCnt });
  return encodeFrame(frame);
}
