import { aesDecryptBlocks } from './aes.ts';

/**
 * The nanoseconds within the second, from the 16 encrypted bytes of a gateway board: the last eight bytes divided by
 * 32.
 */
export function decryptFineTimestamp(boardKey: Uint8Array, encrypted: Uint8Array): number {
  const clear = aesDecryptBlocks(boardKey, encrypted);
  const ticks = new DataView(clear.buffer, clear.byteOffset, clear.byteLength).getBigUint64(8);
  return Number(ticks / 32n);
}
