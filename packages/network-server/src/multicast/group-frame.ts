import { type DataFrame, dataMic, encodeFrame } from '@hilltop/lorawan';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem } from '../state/state.ts';

/**
 * The frame of a downlink to a group: unconfirmed, without commands or flags, with a MIC of LoRaWAN 1.0 in any case
 * (LoRaWAN Remote Multicast Setup §3). The same item always makes the same frame.
 */
export function sealGroupFrame(
  { mcAddr: devAddr, mcNwkSKey }: MulticastGroupRecord,
  { fCnt, fPort, frmPayload }: Pick<MulticastItem, 'fCnt' | 'fPort' | 'frmPayload'>,
): Uint8Array {
  const frame: DataFrame = {
    mType: 'UnconfirmedDataDown',
    major: 0,
    devAddr,
    fCtrl: { adr: false, adrAckReq: false, ack: false, fPending: false, classB: false },
    fCnt: fCnt % 0x10000,
    fOpts: new Uint8Array(),
    fPort,
    frmPayload,
    mic: new Uint8Array(4),
  };
  const key = Uint8Array.fromHex(mcNwkSKey);
  const sealed = encodeFrame(frame);
  const mic = dataMic(sealed.subarray(0, -4), { version: '1.0', fNwkSIntKey: key, sNwkSIntKey: key, fCnt });
  sealed.set(mic, sealed.length - 4);
  return sealed;
}
