import { createCipheriv, createDecipheriv } from 'node:crypto';
import { aeskw } from '@noble/ciphers/aes.js';
import { FrameError } from '../errors.ts';

/** AES as LoRaWAN uses it. The only file that knows where AES comes from. */

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

/** XORs data with the encryptions of `firstBlock`, `firstBlock` + 1 and so on; the same both ways. */
export function aesCounter(key: Uint8Array, firstBlock: Uint8Array, data: Uint8Array): Uint8Array {
  return new Uint8Array(createCipheriv('aes-128-ctr', key, firstBlock).update(data));
}

/** RFC 3394 key wrap: 16 bytes become 24. The key-encryption key has 16, 24 or 32 bytes. */
export function wrapKey(kek: Uint8Array, key: Uint8Array): Uint8Array {
  return aeskw(kek).encrypt(key);
}

/** Reverse of wrapKey. Throws FrameError when the key was not wrapped with this key-encryption key. */
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
