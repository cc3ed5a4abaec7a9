import { concatBytes, writeIdentifier, writeUint } from '../bytes.ts';
import { aesDecryptBlocks, aesEncryptBlocks } from './aes.ts';

/** Every derived key is AES(root key, type byte | fields | zeros) (LoRaWAN 1.1 §6.1, Remote Multicast Setup TS005). */

export interface SessionKeys {
  fNwkSIntKey: Uint8Array;
  sNwkSIntKey: Uint8Array;
  nwkSEncKey: Uint8Array;
  appSKey: Uint8Array;
}

/** Session keys of a 1.0 device: one NwkSKey stands in all three network roles. Root key: the AppKey, kept as nwkKey. */
export function deriveSessionKeys10(
  nwkKey: Uint8Array,
  { joinNonce, netID, devNonce }: { joinNonce: number; netID: string; devNonce: number },
): SessionKeys {
  const fields = concatBytes(
    uint('joinNonce', joinNonce, 3),
    identifier('netID', netID, 3),
    uint('devNonce', devNonce, 2),
  );
  const nwkSKey = derive(nwkKey, 0x01, fields);
  return { fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, nwkSEncKey: nwkSKey, appSKey: derive(nwkKey, 0x02, fields) };
}

/** Session keys of a 1.1 device (OptNeg set). After a rejoin-request devNonce is its RJcount. */
export function deriveSessionKeys11(
  { nwkKey, appKey }: { nwkKey: Uint8Array; appKey: Uint8Array },
  { joinNonce, joinEUI, devNonce }: { joinNonce: number; joinEUI: string; devNonce: number },
): SessionKeys {
  const fields = concatBytes(
    uint('joinNonce', joinNonce, 3),
    identifier('joinEUI', joinEUI, 8),
    uint('devNonce', devNonce, 2),
  );
  return {
    fNwkSIntKey: derive(nwkKey, 0x01, fields),
    sNwkSIntKey: derive(nwkKey, 0x03, fields),
    nwkSEncKey: derive(nwkKey, 0x04, fields),
    appSKey: derive(appKey, 0x02, fields),
  };
}

/** Lifetime keys of a 1.1 device: JSIntKey signs, JSEncKey encrypts the answers to rejoin-requests. */
export function deriveJoinServerKeys(
  nwkKey: Uint8Array,
  devEUI: string,
): { jsEncKey: Uint8Array; jsIntKey: Uint8Array } {
  const fields = identifier('devEUI', devEUI, 8);
  return { jsEncKey: derive(nwkKey, 0x05, fields), jsIntKey: derive(nwkKey, 0x06, fields) };
}

/** McRootKey of a 1.0 device from its GenAppKey. */
export function deriveMcRootKey10(genAppKey: Uint8Array): Uint8Array {
  return derive(genAppKey, 0x00, none);
}

/** McRootKey of a 1.1 device from its AppKey. */
export function deriveMcRootKey11(appKey: Uint8Array): Uint8Array {
  return derive(appKey, 0x20, none);
}

export function deriveMcKEKey(mcRootKey: Uint8Array): Uint8Array {
  return derive(mcRootKey, 0x00, none);
}

/** Session keys of a multicast group. */
export function deriveMulticastKeys(
  mcKey: Uint8Array,
  mcAddr: string,
): { mcAppSKey: Uint8Array; mcNetSKey: Uint8Array } {
  const fields = identifier('mcAddr', mcAddr, 4);
  return { mcAppSKey: derive(mcKey, 0x01, fields), mcNetSKey: derive(mcKey, 0x02, fields) };
}

/** McKey_encrypted as the server sends it: AES decryption, so that a device needs only encryption. */
export function sealMcKey(mcKEKey: Uint8Array, mcKey: Uint8Array): Uint8Array {
  return aesDecryptBlocks(mcKEKey, mcKey);
}

/** McKey as the device recovers it. */
export function openMcKey(mcKEKey: Uint8Array, mcKeyEncrypted: Uint8Array): Uint8Array {
  return aesEncryptBlocks(mcKEKey, mcKeyEncrypted);
}

const none = new Uint8Array();

function derive(root: Uint8Array, type: number, fields: Uint8Array): Uint8Array {
  const block = new Uint8Array(16);
  block[0] = type;
  block.set(fields, 1);
  return aesEncryptBlocks(root, block);
}

function uint(field: string, value: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  writeUint(bytes, 0, field, value, length);
  return bytes;
}

function identifier(field: string, value: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  writeIdentifier(bytes, 0, field, value, length);
  return bytes;
}
