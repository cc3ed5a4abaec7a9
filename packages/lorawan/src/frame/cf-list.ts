import { readUint, writeUint } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import { readFrequency, writeFrequency } from '../frequency.ts';

/**
 * Channels given with a join-accept, 16 bytes (LoRaWAN Regional Parameters RP002).
 * Type 0: five frequencies in Hz, 0 = unused. Type 1: seven 16-bit masks, bit i of mask j is channel 16 * j + i.
 */
export type CFList = { type: 0; frequencies: number[] } | { type: 1; chMasks: number[] };

export const cFListLength = 16;
const typeAt = 15;

export function decodeCFList(bytes: Uint8Array): CFList {
  if (bytes.length !== cFListLength)
    throw new FrameError('cFList', bytes.length, `expected 16 bytes, got ${bytes.length}`);
  const type = bytes[typeAt]!;
  if (type === 0) return { type, frequencies: [0, 3, 6, 9, 12].map((at) => readFrequency(bytes, at)) };
  if (type === 1) return { type, chMasks: [0, 2, 4, 6, 8, 10, 12].map((at) => readUint(bytes, at, 2)) };
  throw new FrameError('cFList', typeAt, `type ${type} is not 0 or 1`);
}

/** Pads shorter lists with zeros. */
export function encodeCFList(cFList: CFList): Uint8Array {
  const bytes = new Uint8Array(cFListLength);
  const values = cFList.type === 0 ? cFList.frequencies : cFList.chMasks;
  const most = cFList.type === 0 ? 5 : 7;
  if (values.length > most) throw new FrameError('cFList', 0, `at most ${most} entries fit, got ${values.length}`);
  values.forEach((value, index) => {
    if (cFList.type === 0) writeFrequency(bytes, index * 3, 'cFList', value);
    else writeUint(bytes, index * 2, 'cFList', value, 2);
  });
  bytes[typeAt] = cFList.type;
  return bytes;
}
