import { concatBytes, equalBytes } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import type { JoinAccept } from '../frame/frame.ts';
import { decodeJoinAccept, encodeJoinAccept } from '../frame/join-accept.ts';
import { aesDecryptBlocks, aesEncryptBlocks } from './aes.ts';
import { type AnsweredJoin, joinAcceptMic } from './mic.ts';

/**
 * Join-accepts use AES in reverse: the network decrypts, so that a device needs only encryption (LoRaWAN 1.1 §6.2.3).
 */

/** Keys and request of a join-accept. */
export interface JoinAcceptSecurity {
  /** NwkKey, or JSEncKey in an answer to a rejoin-request. */
  encryptionKey: Uint8Array;
  /** NwkKey (1.0), or JSIntKey with `answered` (1.1). */
  micKey: Uint8Array;
  /** null for a 1.0 device. */
  answered: AnsweredJoin | null;
}

const mhdr = new Uint8Array([0x20]);

/** The whole PHYPayload (17 or 33 bytes), ready for transmission. */
export function sealJoinAccept(accept: JoinAccept, security: JoinAcceptSecurity): Uint8Array {
  return encryptJoinAccept(clearJoinAccept(accept, security), security.encryptionKey);
}

/** The same before its encryption, with the MIC. */
export function clearJoinAccept(
  accept: JoinAccept,
  { micKey, answered }: Omit<JoinAcceptSecurity, 'encryptionKey'>,
): Uint8Array {
  const signed = concatBytes(mhdr, encodeJoinAccept(accept));
  return concatBytes(signed, joinAcceptMic(micKey, signed, answered));
}

/** Encrypts the result of clearJoinAccept. */
export function encryptJoinAccept(clear: Uint8Array, encryptionKey: Uint8Array): Uint8Array {
  return concatBytes(clear.subarray(0, 1), aesDecryptBlocks(encryptionKey, clear.subarray(1)));
}

/**
 * Decrypts a PHYPayload as the device does. Throws FrameError when it is not a join-accept or its content is invalid.
 */
export function openJoinAccept(
  bytes: Uint8Array,
  security: JoinAcceptSecurity,
): { accept: JoinAccept; mic: Uint8Array; isMicValid: boolean } {
  const { clear, mic } = decryptJoinAccept(bytes, security.encryptionKey);
  const expected = joinAcceptMic(security.micKey, concatBytes(bytes.subarray(0, 1), clear), security.answered);
  return { accept: decodeJoinAccept(clear), mic, isMicValid: equalBytes(mic, expected) };
}

/** Decrypts only: the clear payload (12 or 28 bytes) and the MIC. */
export function decryptJoinAccept(
  bytes: Uint8Array,
  encryptionKey: Uint8Array,
): { clear: Uint8Array; mic: Uint8Array } {
  if (bytes.length !== 17 && bytes.length !== 33) {
    throw new FrameError('joinAccept', bytes.length, 'a join-accept has 17 or 33 bytes');
  }
  if (bytes[0]! >>> 5 !== 1) throw new FrameError('mType', 0, 'this is not a join-accept');
  const opened = aesEncryptBlocks(encryptionKey, bytes.subarray(1));
  return { clear: opened.slice(0, -4), mic: opened.slice(-4) };
}
