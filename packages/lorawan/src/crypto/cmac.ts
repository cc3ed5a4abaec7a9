import { unsafe } from '@noble/ciphers/aes.js';
import { type KeySchedule, keyScheduleOf, wordAt } from './key-schedule.ts';

/** The last block of a message, padded. */
const rest = new Uint8Array(16);

/**
 * The first bytes of AES-CMAC (RFC 4493) over the message: the MIC of every LoRaWAN frame is four of them or twice two.
 */
export function aesCmac(key: Uint8Array, message: Uint8Array, length = 4): Uint8Array {
  const schedule = keyScheduleOf(key);
  const { roundKeys } = schedule;
  const subkeys = (schedule.subkeys ??= subkeysOf(schedule));
  const lastAt = message.length === 0 ? 0 : (message.length - 1) & ~15;
  let state = { s0: 0, s1: 0, s2: 0, s3: 0 };
  for (let at = 0; at < lastAt; at += 16)
    state = unsafe.encrypt(
      roundKeys,
      state.s0 ^ wordAt(message, at),
      state.s1 ^ wordAt(message, at + 4),
      state.s2 ^ wordAt(message, at + 8),
      state.s3 ^ wordAt(message, at + 12),
    );
  const left = message.length - lastAt;
  for (let at = 0; at < 16; at += 1) rest[at] = at < left ? message[lastAt + at]! : at === left ? 0x80 : 0;
  const subkey = left === 16 ? 0 : 4;
  const { s0, s1, s2, s3 } = unsafe.encrypt(
    roundKeys,
    state.s0 ^ wordAt(rest, 0) ^ subkeys[subkey]!,
    state.s1 ^ wordAt(rest, 4) ^ subkeys[subkey + 1]!,
    state.s2 ^ wordAt(rest, 8) ^ subkeys[subkey + 2]!,
    state.s3 ^ wordAt(rest, 12) ^ subkeys[subkey + 3]!,
  );
  const code = new Uint8Array(16);
  for (let at = 0; at < 4; at += 1) {
    code[at] = s0 >>> (8 * at);
    code[4 + at] = s1 >>> (8 * at);
    code[8 + at] = s2 >>> (8 * at);
    code[12 + at] = s3 >>> (8 * at);
  }
  return length === 16 ? code : code.subarray(0, length);
}

function subkeysOf({ roundKeys }: KeySchedule): Uint32Array {
  const block = unsafe.encryptBlock(roundKeys, new Uint8Array(16));
  const subkeys = new Uint32Array(8);
  for (const first of [0, 4]) {
    unsafe.dbl(block);
    for (let word = 0; word < 4; word += 1) subkeys[first + word] = wordAt(block, 4 * word);
  }
  return subkeys;
}
