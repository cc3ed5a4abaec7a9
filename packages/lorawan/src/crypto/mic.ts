import { concatBytes, equalBytes, writeIdentifier, writeUint } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import { directionOf, mTypes } from '../frame/frame.ts';
import { aesCmac } from './cmac.ts';

/** Message integrity codes, four bytes each (LoRaWAN 1.0.4 §4.4 and §6.2, LoRaWAN 1.1 §4.4 and §6.2). */

/** The input of the MIC of a data frame besides its bytes. `fCnt` is the full 32-bit counter. */
export interface DataMicContext {
  /** A 1.0 frame uses fNwkSIntKey alone, which is the NwkSKey of the device. */
  version: '1.0' | '1.1';
  fNwkSIntKey: Uint8Array;
  sNwkSIntKey: Uint8Array;
  fCnt: number;
  /** 1.1: counter of the confirmed frame that this one acknowledges; only used when the ACK bit is set. */
  confFCnt?: number;
  /** 1.1 uplinks: data-rate and channel index of the transmission. */
  txDr?: number;
  txCh?: number;
}

/**
 * The request that a 1.1 join-accept answers: joinReqType 0xff for a join-request, else the rejoin type; devNonce is
 * the RJcount then.
 */
export interface AnsweredJoin {
  joinReqType: 0xff | 0 | 1 | 2;
  joinEUI: string;
  devNonce: number;
}

/** MIC of a join-request over MHDR and payload (19 bytes). The AppKey of a 1.0 device is its nwkKey. */
export function joinRequestMic(nwkKey: Uint8Array, bytesWithoutMic: Uint8Array): Uint8Array {
  return aesCmac(nwkKey, bytesWithoutMic);
}

/** MIC of a rejoin-request over MHDR and payload: key SNwkSIntKey for the types 0 and 2, JSIntKey for type 1. */
export function rejoinRequestMic(key: Uint8Array, bytesWithoutMic: Uint8Array): Uint8Array {
  return aesCmac(key, bytesWithoutMic);
}

/**
 * MIC of a join-accept over MHDR and clear payload: key NwkKey (1.0), or JSIntKey with the request (1.1, OptNeg set).
 */
export function joinAcceptMic(key: Uint8Array, mhdrAndClear: Uint8Array, answered: AnsweredJoin | null): Uint8Array {
  if (!answered) return aesCmac(key, mhdrAndClear);
  const head = new Uint8Array(11);
  writeUint(head, 0, 'joinReqType', answered.joinReqType, 1);
  writeIdentifier(head, 1, 'joinEUI', answered.joinEUI, 8);
  writeUint(head, 9, 'devNonce', answered.devNonce, 2);
  return aesCmac(key, concatBytes(head, mhdrAndClear));
}

/**
 * MIC of a data frame over MHDR, FHDR, FPort and FRMPayload as on air. Direction, DevAddr and ACK are read from the bytes.
 * 1.1 uplinks take two bytes each under SNwkSIntKey (with confFCnt, txDr, txCh) and FNwkSIntKey, 1.1 downlinks four under SNwkSIntKey.
 */
export function dataMic(bytesWithoutMic: Uint8Array, context: DataMicContext): Uint8Array {
  if (bytesWithoutMic.length < 8) throw new FrameError('mic', bytesWithoutMic.length, 'too short for a data frame');
  const isDown = directionOf(mTypes[bytesWithoutMic[0]! >>> 5]!) === 'down';
  const message = new Uint8Array(16 + bytesWithoutMic.length);
  message[0] = 0x49;
  message[5] = isDown ? 1 : 0;
  message.set(bytesWithoutMic.subarray(1, 5), 6);
  writeUint(message, 10, 'fCnt', context.fCnt, 4);
  message[15] = bytesWithoutMic.length;
  message.set(bytesWithoutMic, 16);
  if (context.version === '1.0') return aesCmac(context.fNwkSIntKey, message);

  const forwarding = isDown ? null : aesCmac(context.fNwkSIntKey, message, 2);
  const isAck = (bytesWithoutMic[5]! & 0x20) !== 0;
  writeUint(message, 1, 'confFCnt', isAck ? (context.confFCnt ?? 0) % 0x10000 : 0, 2);
  if (!forwarding) return aesCmac(context.sNwkSIntKey, message);
  writeUint(message, 3, 'txDr', context.txDr ?? 0, 1);
  writeUint(message, 4, 'txCh', context.txCh ?? 0, 1);
  return concatBytes(aesCmac(context.sNwkSIntKey, message, 2), forwarding);
}

/** Whether the last four bytes of the whole data frame are its MIC. */
export function isDataMicValid(bytes: Uint8Array, context: DataMicContext): boolean {
  const end = bytes.length - 4;
  return equalBytes(dataMic(bytes.subarray(0, end), context), bytes.subarray(end));
}
