import { unsafe } from '@noble/ciphers/aes.js';

/** The expanded key of AES. Words are little-endian on every machine. */
export interface KeySchedule {
  roundKeys: Uint32Array;
  /** RFC 4493 §2.3: K1 and then K2, for CMAC. */
  subkeys: Uint32Array | null;
}

/** 8,192 of them: at most 4 MB. */
const slotBits = 13;
const cachedSchedules: (KeySchedule | undefined)[] = [];

/**
 * The schedule of a key of 16 bytes, cached because the frames of a device use the same keys and expanding one takes
 * longer than a block.
 */
export function keyScheduleOf(key: Uint8Array): KeySchedule {
  if (key.length !== 16) throw new RangeError('A key has 16 bytes.');
  const slot = slotOf(key);
  const known = cachedSchedules[slot];
  if (known && isOf(known, key)) return known;
  const made = { roundKeys: unsafe.expandKeyLE(key), subkeys: null };
  cachedSchedules[slot] = made;
  return made;
}

/** Keys of tests are often consecutive, and differ in one byte. */
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

/** Four bytes as a signed number of 32 bits. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
