import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FrameError } from '../errors.ts';
import { decodeFrame } from '../frame/phy-payload.ts';
import { unwrapKey, wrapKey } from './aes.ts';
import { openJoinAccept, sealJoinAccept } from './join-accept.ts';
import { deriveJoinServerKeys, deriveSessionKeys10, deriveSessionKeys11 } from './key-derivation.ts';
import { joinRequestMic } from './mic.ts';

/** The values of one join to a 1.0 and to a 1.1 network. */
const nwkKey = Uint8Array.fromHex('000102030405060708090a0b0c0d0e0f');
const appKey = Uint8Array.fromHex('101112131415161718191a1b1c1d1e1f');
const devEUI = '0a1b2c3d4e5f6071';
const joinEUI = '70b3d57ed0000001';
const devNonce = 0x1234;
const joinNonce = 7;
const accept = {
  joinNonce,
  netID: '000013',
  devAddr: '26012345',
  dlSettings: { optNeg: false, rx1DROffset: 0, rx2DataRate: 3 },
  rxDelay: 1,
  cFList: null,
};

describe('a join', () => {
  it('begins with a signed request', () => {
    const request = Uint8Array.fromHex('00010000d07ed5b37071605f4e3d2c1b0a3412eb23f91e');
    const frame = decodeFrame(request);
    assert.ok(frame.mType === 'JoinRequest');
    assert.deepEqual([frame.joinEUI, frame.devEUI, frame.devNonce], [joinEUI, devEUI, devNonce]);
    assert.deepEqual(joinRequestMic(nwkKey, request.subarray(0, -4)), frame.mic);
  });

  it('is answered for 1.0', () => {
    const sealed = sealJoinAccept(accept, { encryptionKey: nwkKey, micKey: nwkKey, answered: null });
    assert.equal(sealed.toHex(), '200190a03994e05cc947809435a26438de');
    const keys = deriveSessionKeys10(nwkKey, { joinNonce, netID: accept.netID, devNonce });
    assert.equal(keys.fNwkSIntKey.toHex(), '2d13898ea763059d8acdfe65f15f3233');
    assert.equal(keys.appSKey.toHex(), '04d3df89c8a14f26ace47e8242616a6f');
  });

  it('is answered for 1.1', () => {
    const { jsIntKey, jsEncKey } = deriveJoinServerKeys(nwkKey, devEUI);
    assert.equal(jsIntKey.toHex(), '01077719b91b20707fd5ce51420ac6a8');
    assert.equal(jsEncKey.toHex(), '180a1a6b9261b400297490c0f7d46003');
    const security = {
      encryptionKey: nwkKey,
      micKey: jsIntKey,
      answered: { joinReqType: 0xff, joinEUI, devNonce },
    } as const;
    const answer = { ...accept, dlSettings: { ...accept.dlSettings, optNeg: true } };
    const sealed = sealJoinAccept(answer, security);
    assert.equal(sealed.toHex(), '2099a7d9d56a835c5a0e06d5fda2aab70f');
    const keys = deriveSessionKeys11({ nwkKey, appKey }, { joinNonce, joinEUI, devNonce });
    assert.equal(keys.fNwkSIntKey.toHex(), '2362f94247e5d9e68c729dc54e85b332');
    assert.equal(keys.sNwkSIntKey.toHex(), '8b87e5094384aecbfadab145c6bd5e61');
    assert.equal(keys.nwkSEncKey.toHex(), '78bd5ec61b310c728c5393b18692af0b');
    assert.equal(keys.appSKey.toHex(), '504b3cf823e8a6eda5363d1bd536075f');

    assert.deepEqual(openJoinAccept(sealed, security).accept, answer);
    const replayed = { ...security, answered: { ...security.answered, devNonce: devNonce + 1 } };
    assert.equal(openJoinAccept(sealed, replayed).isMicValid, false);
  });

  it('is opened by openJoinAccept only from a join-accept', () => {
    const security = { encryptionKey: nwkKey, micKey: nwkKey, answered: null };
    assert.throws(() => openJoinAccept(new Uint8Array(16), security), FrameError);
    assert.throws(() => openJoinAccept(new Uint8Array(17), security), FrameError);
  });
});

describe('wrapKey', () => {
  const kek = Uint8Array.fromHex('ffeeddccbbaa99887766554433221100');
  const wrapped = Uint8Array.fromHex('930384d667ce4a1dcb37682ed147a21a8bcbb40f0a57e717');

  it('wraps and unwraps', () => {
    const key = Uint8Array.fromHex('04d3df89c8a14f26ace47e8242616a6f');
    assert.deepEqual(wrapKey(kek, key), wrapped);
    assert.deepEqual(unwrapKey(kek, wrapped), key);
  });

  it('follows RFC 3394 §4.3 and §4.6 for longer key-encryption keys', () => {
    const key = Uint8Array.fromHex('00112233445566778899aabbccddeeff');
    const long = Uint8Array.fromHex('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f');
    assert.equal(wrapKey(long.subarray(0, 24), key).toHex(), '96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d');
    assert.equal(wrapKey(long, key).toHex(), '64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7');
  });

  it('refuses another key-encryption key', () => {
    assert.throws(() => unwrapKey(nwkKey, wrapped), FrameError);
  });
});
