import { writeIdentifier, writeUint } from '../bytes.ts';
import type { Direction } from '../frame/frame.ts';
import { aesCounter } from './aes.ts';

/** Payload encryption; encrypting and decrypting are the same (LoRaWAN 1.0.4 §4.3.3, LoRaWAN 1.1 §4.3.1.6 and §4.3.3). */

/** The frame of the bytes. `fCnt` is the full 32-bit counter. */
export interface CipherContext {
  devAddr: string;
  fCnt: number;
  direction: Direction;
}

/** En- or decrypts FRMPayload. Key: AppSKey; on FPort 0 the NwkSKey (1.0) or NwkSEncKey (1.1). */
export function cryptFRMPayload(key: Uint8Array, context: CipherContext, bytes: Uint8Array): Uint8Array {
  return aesCounter(key, firstBlock(context, 0), bytes);
}

/**
 * En- or decrypts the FOpts of a 1.1 frame under NwkSEncKey. `usesAFCntDown`: the frame is a downlink with an FPort above 0,
 * so that its counter is AFCntDown (erratum on FCntDwn usage in FOpts encryption).
 */
export function cryptFOpts(
  nwkSEncKey: Uint8Array,
  context: CipherContext & { usesAFCntDown: boolean },
  bytes: Uint8Array,
): Uint8Array {
  return aesCounter(nwkSEncKey, firstBlock(context, context.usesAFCntDown ? 2 : 1), bytes);
}

function firstBlock(context: CipherContext, counterUse: 0 | 1 | 2): Uint8Array {
  const block = new Uint8Array(16);
  block[0] = 0x01;
  block[4] = counterUse;
  block[5] = context.direction === 'down' ? 1 : 0;
  writeIdentifier(block, 6, 'devAddr', context.devAddr, 4);
  writeUint(block, 10, 'fCnt', context.fCnt, 4);
  block[15] = 1;
  return block;
}
