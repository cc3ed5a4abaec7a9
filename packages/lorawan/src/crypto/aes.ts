import { createCipheriv, createDecipheriv } from 'node:crypto';
import { aeskw, unsafe } from '@noble/ciphers/aes.js';
import { FrameError } from '../errors.ts';
import { keyScheduleOf, wordAt } from './key-schedule.ts';

/**
 * AES as LoRaWAN uses it. With the schedule of a key, a few blocks by tables take less time than creating a cipher of
 * Node.
 */

/** Encrypts whole 16-byte blocks one by one. */
export function aesEncryptBlocks(key: Uint8Array, blocks: Uint8Array): Uint8Array {
  const cipher = createCipheriv(`aes-${keyBits(key)}-ecb`, key, null).setAutoPadding(false);
  return new Uint8Array(cipher.update(blocks));
}

/** Decrypts whole 16-byte blocks one by one. */
export function aesDecryptBlocks(key: Uint8Array, blocks: Uint8Array): Uint8Array {
  const decipher = createDecipheriv(`aes-${keyBits(key)}-ecb`, key, null).setAutoPadding(false);
  return new Uint8Array(decipher.update(blocks));
}

/**
 * XORs data with the encryptions of `firstBlock` and the following blocks, which count in the last 32 bits. Encrypts
 * and decrypts.
 */
export function aesCounter(key: Uint8Array, firstBlock: Uint8Array, data: Uint8Array): Uint8Array {
  const { roundKeys } = keyScheduleOf(key);
  const [first, second, third] = [wordAt(firstBlock, 0), wordAt(firstBlock, 4), wordAt(firstBlock, 8)];
  const counter = firstBlock.slice(12, 16);
  const result = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 16) {
    const { s0, s1, s2, s3 } = unsafe.encrypt(roundKeys, first, second, third, wordAt(counter, 0));
    const block = [s0, s1, s2, s3];
    const length = Math.min(16, data.length - at);
    for (let byte = 0; byte < length; byte += 1)
      result[at + byte] = data[at + byte]! ^ (block[byte >> 2]! >>> (8 * (byte & 3)));
    for (let byte = 3; byte >= 0; byte -= 1) {
      counter[byte]! += 1;
      if (counter[byte] !== 0) break;
    }
  }
  return result;
}

/** RFC 3394 key wrap: 16 bytes become 24. The key-encryption key has 16, 24 or 32 bytes. */
export function wrapKey(kek: Uint8Array, key: Uint8Array): Uint8Array {
  return aeskw(kek).encrypt(key);
}

/** The reverse of wrapKey. Throws FrameError when the key was not wrapped with this key-encryption key. */
export function unwrapKey(kek: Uint8Array, wrapped: Uint8Array): Uint8Array {
  try {
    return aeskw(kek).decrypt(wrapped);
  } catch {
    throw new FrameError('wrappedKey', 0, 'it was not wrapped with this key-encryption key');
  }
}

function keyBits(key: Uint8Array): number {
  return key.length * 8;
}
