import assert from 'node:assert/strict';
import { readIdentifier, writeIdentifier } from '../bytes.ts';
import { openJoinAccept, sealJoinAccept } from '../crypto/join-accept.ts';
import { dataMic, isDataMicValid, joinRequestMic, rejoinRequestMic } from '../crypto/mic.ts';
import { FrameError } from '../errors.ts';
import { decodeCFList, encodeCFList } from '../frame/cf-list.ts';
import { type Frame, isDataFrame } from '../frame/frame.ts';
import { fullFCnt } from '../frame/frame-counter.ts';
import { decodeFCtrl, encodeFCtrl } from '../frame/frame-header.ts';
import { decodeJoinAccept } from '../frame/join-accept.ts';
import { decodeFrame, encodeFrame } from '../frame/phy-payload.ts';
import { devAddrPrefix, devAddrWithPrefix, netIDNumber, netIDType, nwkIDOf } from '../identifiers.ts';
import { decodeMacCommands } from '../mac-commands/codec.ts';
import { clearParts, joinAcceptSecurity, sessionKeysOf } from './security.ts';
import { type Check, key, type Vector } from './vector.ts';

/** Tests of frames and their parts. */
export const frameChecks: Record<string, Check> = {
  joinRequest: (vector) => {
    const frame = expectFrame(vector, 'JoinRequest');
    const { joinEui, devEui, devNonce } = vector.expect;
    assert.deepEqual(pick(frame, 'joinEUI', 'devEUI', 'devNonce'), { joinEUI: joinEui, devEUI: devEui, devNonce });
    expectMic(vector, joinRequestMic(key(vector, 'nwkKey'), withoutMic(vector)));
  },

  rejoinRequest: (vector) => {
    const frame = expectFrame(vector, 'RejoinRequest');
    const { rejoinType, netId, joinEui, devEui, rjCount } = vector.expect;
    const home = rejoinType === 1 ? { joinEUI: joinEui } : { netID: netId };
    assert.deepEqual(pick(frame, 'rejoinType', ...Object.keys(home), 'devEUI', 'rjCount'), {
      rejoinType,
      ...home,
      devEUI: devEui,
      rjCount,
    });
    expectMic(vector, rejoinRequestMic(key(vector, rejoinType === 1 ? 'jsIntKey' : 'sNwkSIntKey'), withoutMic(vector)));
  },

  joinAccept: (vector) => {
    expectFrame(vector, 'JoinAccept');
    const { accept, mic, isMicValid } = openJoinAccept(bytesOf(vector), joinAcceptSecurity(vector));
    const { decrypted, joinNonce, netId, devAddr, dlSettings, rxDelay, cfList, sessionKeys } = vector.expect;
    const { rx1DrOffset, ...others } = dlSettings;
    assert.deepEqual(accept, {
      joinNonce,
      netID: netId,
      devAddr,
      dlSettings: { ...others, rx1DROffset: rx1DrOffset },
      rxDelay,
      cFList: cfList,
    });
    assert.equal(mic.toHex(), vector.expect.mic);
    assert.equal(isMicValid, vector.expect.micValid);
    assert.ok(String(decrypted).endsWith(vector.expect.mic));
    assert.equal(sealJoinAccept(accept, joinAcceptSecurity(vector)).toHex(), vector.hex);
    if (sessionKeys) assert.deepEqual(sessionKeysOf(vector, accept), sessionKeys);
  },

  data: (vector) => {
    const { version, fCntFull, confFCnt, txDr, txCh } = vector.params;
    const frame = decodeFrame(bytesOf(vector));
    assert.ok(isDataFrame(frame));
    assert.equal(encodeFrame(frame).toHex(), vector.hex);
    assert.equal(camel(frame.mType), vector.expect.mType);
    const { fOptsLen, ...fCtrl } = vector.expect.fCtrl;
    const { devAddr, fCnt, fOptsEncoded, fPort, frmPayloadEncoded } = vector.expect;
    assert.deepEqual(pick(frame.fCtrl, ...Object.keys(fCtrl)), fCtrl);
    assert.deepEqual(pick(frame, 'devAddr', 'fCnt', 'fPort'), { devAddr, fCnt, fPort });
    assert.equal(frame.fOpts.length, fOptsLen);
    assert.equal(frame.fOpts.toHex(), fOptsEncoded);
    assert.equal(frame.frmPayload.toHex(), frmPayloadEncoded);

    const [fNwkSIntKey, sNwkSIntKey] =
      version === '1.0'
        ? [key(vector, 'nwkSKey'), key(vector, 'nwkSKey')]
        : [key(vector, 'fNwkSIntKey'), key(vector, 'sNwkSIntKey')];
    const context = {
      version,
      fNwkSIntKey,
      sNwkSIntKey,
      fCnt: fCntFull,
      ...(confFCnt === undefined ? {} : { confFCnt }),
      ...(txDr === undefined ? {} : { txDr }),
      ...(txCh === undefined ? {} : { txCh }),
    };
    expectMic(vector, dataMic(withoutMic(vector), context));
    assert.equal(isDataMicValid(bytesOf(vector), context), vector.expect.micValid);

    const clear = clearParts(vector, frame);
    assert.equal(clear.fOpts.toHex(), vector.expect.fOpts);
    if (vector.expect.frmPayload !== null) assert.equal(clear.frmPayload.toHex(), vector.expect.frmPayload);
  },

  proprietary: (vector) => {
    const frame = expectFrame(vector, 'Proprietary');
    assert.equal(frame.bytes.toHex(), vector.expect.macPayload);
    assert.equal(frame.mic.toHex(), vector.expect.mic);
  },

  mhdr: (vector) => {
    const byte = Uint8Array.fromHex(vector.hex)[0]!;
    const shortest = { 0: 23, 1: 17, 6: 19 }[byte >>> 5] ?? 12;
    const bytes = new Uint8Array(shortest);
    bytes[0] = byte;
    const { mType, major } = decodeFrame(bytes);
    assert.deepEqual({ mType: camel(mType), major }, vector.expect);
    assert.equal(encodeFrame(decodeFrame(bytes))[0], byte);
  },

  fCtrl: (vector) => {
    const byte = Uint8Array.fromHex(vector.hex)[0]!;
    const { fOptsLength, ...fCtrl } = decodeFCtrl(vector.params.direction, byte);
    const { fOptsLen, ...flags } = vector.expect as unknown as Vector['expect']['fCtrl'];
    assert.equal(fOptsLength, fOptsLen);
    assert.deepEqual(pick(fCtrl, ...Object.keys(flags)), flags);
    assert.equal(encodeFCtrl(vector.params.direction, fCtrl, fOptsLength), byte);
  },

  cfList: (vector) => {
    const cFList = decodeCFList(bytesOf(vector));
    assert.deepEqual(cFList, vector.expect);
    assert.equal(encodeCFList(cFList).toHex(), vector.hex);
  },

  eui64: (vector) => expectIdentifier(vector, vector.expect.eui),

  devAddr: (vector) => {
    expectIdentifier(vector, vector.expect.devAddr);
    const { netIdType, nwkId } = vector.expect;
    assert.deepEqual(nwkIDOf(String(vector.expect.devAddr)), { netIDType: netIdType, nwkID: nwkId });
  },

  netId: (vector) => {
    expectIdentifier(vector, vector.expect.netId);
    const netID = String(vector.expect.netId);
    assert.deepEqual({ type: netIDType(netID), id: netIDNumber(netID) }, pick(vector.expect, 'type', 'id'));
  },

  'devAddr.setPrefix': (vector) => {
    const { netId, devAddr } = vector.params;
    const { value, length } = devAddrPrefix(netId);
    assert.equal(`${value}/${length}`, vector.expect.prefix);
    assert.equal(devAddrWithPrefix(netId, devAddr), vector.expect.devAddr);
  },

  'fCnt.full': (vector) => {
    const { nextFCnt, received16 } = vector.params;
    const full = fullFCnt(nextFCnt, received16);
    assert.equal(full, vector.expect.fullFCnt);
    assert.equal(full === nextFCnt - 1 ? 'retransmission' : 'new', vector.expect.relation);
  },

  decodeError: (vector) => {
    const bytes = bytesOf(vector);
    const decode = {
      phyPayload: () => decodeFrame(bytes),
      joinAcceptPlain: () => decodeJoinAccept(bytes.subarray(1, -4)),
      cfList: () => decodeCFList(bytes),
      macStreamUp: () => decodeMacCommands('up', bytes),
      macStreamDown: () => decodeMacCommands('down', bytes),
    }[vector.params.what];
    assert.throws(decode, FrameError);
  },
};

function expectFrame<T extends Frame['mType']>(vector: Vector, mType: T): Extract<Frame, { mType: T }> {
  const frame = decodeFrame(bytesOf(vector));
  assert.equal(frame.mType, mType);
  assert.equal(encodeFrame(frame).toHex(), vector.hex);
  return frame as Extract<Frame, { mType: T }>;
}

function expectMic(vector: Vector, mic: Uint8Array): void {
  assert.equal(vector.hex.slice(-8), vector.expect.mic);
  assert.equal(mic.toHex() === vector.expect.mic, vector.expect.micValid);
}

function expectIdentifier(vector: Vector, text: unknown): void {
  const bytes = bytesOf(vector);
  assert.equal(readIdentifier(bytes, 0, bytes.length), text);
  const written = new Uint8Array(bytes.length);
  writeIdentifier(written, 0, 'identifier', String(text), bytes.length);
  assert.equal(written.toHex(), vector.hex);
}

function bytesOf(vector: Vector): Uint8Array {
  return Uint8Array.fromHex(vector.hex);
}

function withoutMic(vector: Vector): Uint8Array {
  return bytesOf(vector).subarray(0, -4);
}

function pick(value: object, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]));
}

/** Vectors write UnconfirmedDataUp as unconfirmedUp. */
function camel(mType: string): string {
  return `${mType[0]!.toLowerCase()}${mType.slice(1)}`.replace('Data', '');
}
