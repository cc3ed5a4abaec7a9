import { unsafe } from '@noble/ciphers/aes.js';
import { encryptBlock } from './block.ts';
import { type KeySchedule, keyScheduleOf, wordAt } from './key-schedule.ts';

/** What is left of a message behind its whole blocks, padded. */
const rest = new Uint8Array(16);
const state = new Int32Array(4);

/** First bytes of AES-CMAC (RFC 4493) over the message: the MIC of every LoRaWAN frame is four of them or twice two. */
export function aesCmac(key: Uint8Array, message: Uint8Array, length = 4): Uint8Array {
  const schedule = keyScheduleOf(key);
  const { roundKeys } = schedule;
  const subkeys = (schedule.subkeys ??= subkeysOf(schedule));
  const lastAt = message.length === 0 ? 0 : (message.length - 1) & ~15;
  state.fill(0);
  for (let at = 0; at < lastAt; at += 16) {
    add(message, at);
    encryptBlock(roundKeys, state);
  }
  const left = message.length - lastAt;
  for (let at = 0; at < 16; at += 1) rest[at] = at < left ? message[lastAt + at]! : at === left ? 0x80 : 0;
  add(rest, 0);
  const subkey = left === 16 ? 0 : 4;
  for (let word = 0; word < 4; word += 1) state[word]! ^= subkeys[subkey + word]!;
  encryptBlock(roundKeys, state);
  const code = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) code[at] = state[at >> 2]! >>> (8 * (at & 3));
  return code;
}

function add(bytes: Uint8Array, at: number): void {
  for (let word = 0; word < 4; word += 1) state[word]! ^= wordAt(bytes, at + 4 * word);
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
