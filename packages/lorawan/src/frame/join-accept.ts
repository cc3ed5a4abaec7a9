import { readIdentifier, readUint, writeIdentifier, writeUint } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import { cFListLength, decodeCFList, encodeCFList } from './cf-list.ts';
import type { DLSettings, JoinAccept } from './frame.ts';

/** Clear join-accept = JoinNonce 3, NetID 3, DevAddr 4, DLSettings 1, RxDelay 1, [CFList 16] (LoRaWAN 1.1 §6.2.3). */
const fixedLength = 12;

/** Decodes the clear payload: no MHDR, no MIC, 12 or 28 bytes. */
export function decodeJoinAccept(clear: Uint8Array): JoinAccept {
  if (clear.length !== fixedLength && clear.length !== fixedLength + cFListLength) {
    throw new FrameError('joinAccept', clear.length, `expected 12 or 28 bytes, got ${clear.length}`);
  }
  return {
    joinNonce: readUint(clear, 0, 3),
    netID: readIdentifier(clear, 3, 3),
    devAddr: readIdentifier(clear, 6, 4),
    dlSettings: decodeDLSettings(clear[10]!),
    rxDelay: clear[11]! & 0x0f,
    cFList: clear.length === fixedLength ? null : decodeCFList(clear.subarray(fixedLength)),
  };
}

export function encodeJoinAccept(accept: JoinAccept): Uint8Array {
  const clear = new Uint8Array(accept.cFList ? fixedLength + cFListLength : fixedLength);
  writeUint(clear, 0, 'joinNonce', accept.joinNonce, 3);
  writeIdentifier(clear, 3, 'netID', accept.netID, 3);
  writeIdentifier(clear, 6, 'devAddr', accept.devAddr, 4);
  clear[10] = encodeDLSettings(accept.dlSettings);
  if (accept.rxDelay > 15) throw new FrameError('rxDelay', 11, `${accept.rxDelay} s is above 15 s`);
  writeUint(clear, 11, 'rxDelay', accept.rxDelay, 1);
  if (accept.cFList) clear.set(encodeCFList(accept.cFList), fixedLength);
  return clear;
}

/** DLSettings byte: OptNeg 0x80, RX1DROffset bits 6-4, RX2DataRate bits 3-0. */
export function decodeDLSettings(byte: number): DLSettings {
  return { optNeg: (byte & 0x80) !== 0, rx1DROffset: (byte >>> 4) & 0x07, rx2DataRate: byte & 0x0f };
}

export function encodeDLSettings({ optNeg, rx1DROffset, rx2DataRate }: DLSettings): number {
  if (!(rx1DROffset >= 0 && rx1DROffset <= 7))
    throw new FrameError('rx1DROffset', 10, `${rx1DROffset} is not from 0 to 7`);
  if (!(rx2DataRate >= 0 && rx2DataRate <= 15))
    throw new FrameError('rx2DataRate', 10, `${rx2DataRate} is not from 0 to 15`);
  return (optNeg ? 0x80 : 0) | (rx1DROffset << 4) | rx2DataRate;
}
