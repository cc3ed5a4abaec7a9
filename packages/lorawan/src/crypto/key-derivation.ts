import { concatBytes, writeIdentifier, writeUint } from '../bytes.ts';
import { aesDecryptBlocks, aesEncryptBlocks } from './aes.ts';

/** Every derived key is AES(root key, type byte | fields | zeros) (LoRaWAN 1.1 §6.1, Remote Multicast Setup TS005). */

export interface SessionKeys {
  fNwkSIntKey: Uint8Array;
  sNwkSIntKey: Uint8Array;
  nwkSEncKey: Uint8Array;
  appSKey: Uint8Array;
}

/** Session keys of a 1.0 device: one NwkSKey in all three network roles. Root key: the AppKey, stored as nwkKey. */
export function deriveSessionKeys10(
  nwkKey: Uint8Array,
  { joinNonce, netID, devNonce }: { joinNonce: number; netID: string; devNonce: number },
): SessionKeys {
  const fields = concatBytes(
    uint('joinNonce', joinNonce, 3),
    identifier('netID', netID, 3),
    uint('devNonce', devNonce, 2),
  );
  const [nwkSKey, appSKey] = deriveAll(nwkKey, [0x01, 0x02], fields);
  return { fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, nwkSEncKey: nwkSKey, appSKey };
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
  const [fNwkSIntKey, sNwkSIntKey, nwkSEncKey] = deriveAll(nwkKey, [0x01, 0x03, 0x04], fields);
  return { fNwkSIntKey, sNwkSIntKey, nwkSEncKey, appSKey: derive(appKey, 0x02, fields) };
}

/** Lifetime keys of a 1.1 device: JSIntKey signs, JSEncKey encrypts the answers to rejoin-requests. */
export function deriveJoinServerKeys(
  nwkKey: Uint8Array,
  devEUI: string,
): { jsEncKey: Uint8Array; jsIntKey: Uint8Array } {
  const fields = identifier('devEUI', devEUI, 8);
  const [jsEncKey, jsIntKey] = deriveAll(nwkKey, [0x05, 0x06], fields);
  return { jsEncKey, jsIntKey };
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
  const [mcAppSKey, mcNetSKey] = deriveAll(mcKey, [0x01, 0x02], fields);
  return { mcAppSKey, mcNetSKey };
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
  return deriveAll(root, [type], fields)[0];
}

const blockLength = 16;

/** One key of each type: creating the cipher takes longer than a block. */
function deriveAll<const Types extends readonly number[]>(
  root: Uint8Array,
  types: Types,
  fields: Uint8Array,
): { [At in keyof Types]: Uint8Array } {
  const blocks = new Uint8Array(types.length * blockLength);
  for (const [at, type] of types.entries()) {
    blocks[at * blockLength] = type;
    blocks.set(fields, at * blockLength + 1);
  }
  const keys = aesEncryptBlocks(root, blocks);
  return types.map((_, at) => keys.slice(at * blockLength, (at + 1) * blockLength)) as {
    [At in keyof Types]: Uint8Array;
  };
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
