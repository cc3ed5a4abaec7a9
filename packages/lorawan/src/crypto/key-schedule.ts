import { unsafe } from '@noble/ciphers/aes.js';

/** What AES makes of a key before the first block. Words are little-endian, whatever the machine is. */
export interface KeySchedule {
  roundKeys: Uint32Array;
  /** RFC 4493 §2.3: K1 and then K2, for who asks for codes. */
  subkeys: Uint32Array | null;
}

/** 8,192 of them: 4 MB when all are taken. */
const slotBits = 13;
const kept: (KeySchedule | undefined)[] = [];

/** The schedule of a key of 16 bytes. A device's frames are under the same keys: making it takes longer than a block does. */
export function keyScheduleOf(key: Uint8Array): KeySchedule {
  if (key.length !== 16) throw new RangeError('A key has 16 bytes.');
  const slot = slotOf(key);
  const known = kept[slot];
  if (known && isOf(known, key)) return known;
  const made = { roundKeys: unsafe.expandKeyLE(key), subkeys: null };
  kept[slot] = made;
  return made;
}

/** Keys of tests and trials are counted up, and differ in one byte. */
function slotOf(key: Uint8Array): number {
  let mixed = 0;
  for (let at = 0; at < 16; at += 4) {
    mixed = Math.imul(mixed ^ wordAt(key, at), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed >>> (32 - slotBits);
}

/** A schedule begins with the key itself. */
function isOf({ roundKeys }: KeySchedule, key: Uint8Array): boolean {
  return (
    roundKeys[0] === wordAt(key, 0) >>> 0 &&
    roundKeys[1] === wordAt(key, 4) >>> 0 &&
    roundKeys[2] === wordAt(key, 8) >>> 0 &&
    roundKeys[3] === wordAt(key, 12) >>> 0
  );
}

/** Four bytes as a number of 32 bits with a sign. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
