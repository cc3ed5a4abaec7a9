import { aesDecryptBlocks } from './aes.ts';

/** Nanoseconds within the second, from the 16 encrypted bytes a gateway board reports: the last eight bytes divided by 32. */
export function decryptFineTimestamp(boardKey: Uint8Array, encrypted: Uint8Array): number {
  const clear = aesDecryptBlocks(boardKey, encrypted);
  const ticks = new DataView(clear.buffer, clear.byteOffset, clear.byteLength).getBigUint64(8);
  return Number(ticks / 32n);
}
