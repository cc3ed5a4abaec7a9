import assert from 'node:assert/strict';
import { decryptFineTimestamp } from '../crypto/fine-timestamp.ts';
import type { JoinAcceptSecurity } from '../crypto/join-accept.ts';
import {
  deriveJoinServerKeys,
  deriveMcKEKey,
  deriveMcRootKey10,
  deriveMcRootKey11,
  deriveMulticastKeys,
  deriveSessionKeys10,
  deriveSessionKeys11,
  openMcKey,
  sealMcKey,
} from '../crypto/key-derivation.ts';
import { cryptFOpts, cryptFRMPayload } from '../crypto/payload-cipher.ts';
import { type DataFrame, directionOf, type JoinAccept } from '../frame/frame.ts';
import { type Check, key, type Vector } from './vector.ts';

/** Tests of ciphers and key derivation. */
export const securityChecks: Record<string, Check> = {
  'crypt.frmPayload': (vector) => {
    const { devAddr, fCnt, direction } = vector.params;
    const crypt = (hex: string) =>
      cryptFRMPayload(key(vector, 'key'), { devAddr, fCnt, direction }, Uint8Array.fromHex(hex));
    assert.equal(crypt(vector.hex).toHex(), vector.expect.hex);
    assert.equal(crypt(String(vector.expect.hex)).toHex(), vector.hex);
  },

  'crypt.fOpts': (vector) => {
    const { devAddr, fCnt, direction, aFCntDown } = vector.params;
    const context = { devAddr, fCnt, direction, usesAFCntDown: aFCntDown };
    assert.equal(cryptFOpts(key(vector, 'key'), context, Uint8Array.fromHex(vector.hex)).toHex(), vector.expect.hex);
  },

  'keys.session10': (vector) => {
    const { joinNonce, netId, devNonce } = vector.params;
    const keys = hex(deriveSessionKeys10(key(vector, 'nwkKey'), { joinNonce, netID: netId, devNonce }));
    const { nwkSKey, appSKey } = vector.expect;
    assert.deepEqual(keys, { fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, nwkSEncKey: nwkSKey, appSKey });
  },

  'keys.session11': (vector) => {
    const { joinNonce, joinEui, devNonce } = vector.params;
    const roots = { nwkKey: key(vector, 'nwkKey'), appKey: key(vector, 'appKey') };
    assert.deepEqual(hex(deriveSessionKeys11(roots, { joinNonce, joinEUI: joinEui, devNonce })), vector.expect);
  },

  'keys.js': (vector) => {
    assert.deepEqual(hex(deriveJoinServerKeys(key(vector, 'nwkKey'), vector.params.devEui)), vector.expect);
  },

  'keys.mc': (vector) => {
    assert.deepEqual(hex(deriveMulticastKeys(key(vector, 'mcKey'), vector.params.mcAddr)), vector.expect);
  },

  'keys.mcRoot10': (vector) => {
    assert.equal(deriveMcRootKey10(key(vector, 'genAppKey')).toHex(), vector.expect.mcRootKey);
  },

  'keys.mcRoot11': (vector) => {
    assert.equal(deriveMcRootKey11(key(vector, 'appKey')).toHex(), vector.expect.mcRootKey);
  },

  'keys.mcKe': (vector) => {
    assert.equal(deriveMcKEKey(key(vector, 'mcRootKey')).toHex(), vector.expect.mcKeKey);
  },

  'keys.mcKeyDecrypt': (vector) => {
    const mcKEKey = key(vector, 'mcKeKey');
    const mcKey = openMcKey(mcKEKey, Uint8Array.fromHex(vector.params.mcKeyEncrypted));
    assert.equal(mcKey.toHex(), vector.expect.mcKey);
    assert.equal(sealMcKey(mcKEKey, mcKey).toHex(), vector.params.mcKeyEncrypted);
  },

  fineTimestamp: (vector) => {
    assert.equal(decryptFineTimestamp(key(vector, 'key'), Uint8Array.fromHex(vector.hex)), vector.expect.nanoseconds);
  },
};

export function joinAcceptSecurity(vector: Vector): JoinAcceptSecurity {
  const nwkKey = key(vector, 'nwkKey');
  if (vector.params.version === '1.0') return { encryptionKey: nwkKey, micKey: nwkKey, answered: null };
  const { joinReqType, joinEui, devNonce } = vector.params;
  return {
    encryptionKey: vector.keys.jsEncKey ? key(vector, 'jsEncKey') : nwkKey,
    micKey: key(vector, 'jsIntKey'),
    answered: { joinReqType, joinEUI: joinEui, devNonce },
  };
}

/** Session keys of a join, under the names of the vectors. */
export function sessionKeysOf(vector: Vector, { joinNonce, netID }: JoinAccept): Record<string, string> {
  const { version, joinEui, devNonce } = vector.params;
  const nwkKey = key(vector, 'nwkKey');
  if (version === '1.0') {
    const { fNwkSIntKey, appSKey } = hex(deriveSessionKeys10(nwkKey, { joinNonce, netID, devNonce }));
    return { nwkSKey: fNwkSIntKey!, appSKey: appSKey! };
  }
  const appKey = key(vector, 'appKey');
  return hex(deriveSessionKeys11({ nwkKey, appKey }, { joinNonce, joinEUI: joinEui, devNonce }));
}

/** The decrypted FOpts and FRMPayload of a data frame. */
export function clearParts(vector: Vector, frame: DataFrame): { fOpts: Uint8Array; frmPayload: Uint8Array } {
  const { version, fCntFull } = vector.params;
  const direction = directionOf(frame.mType);
  const context = { devAddr: frame.devAddr, fCnt: fCntFull, direction };
  const networkKey = key(vector, version === '1.0' ? 'nwkSKey' : 'nwkSEncKey');
  const usesAFCntDown = direction === 'down' && (frame.fPort ?? 0) > 0;
  return {
    fOpts: version === '1.0' ? frame.fOpts : cryptFOpts(networkKey, { ...context, usesAFCntDown }, frame.fOpts),
    frmPayload: cryptFRMPayload(frame.fPort === 0 ? networkKey : key(vector, 'appSKey'), context, frame.frmPayload),
  };
}

function hex(keys: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keys as Record<string, Uint8Array>).map(([name, value]) => [name, value.toHex()]),
  );
}
