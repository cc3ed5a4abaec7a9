import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as loraPacketModule from 'lora-packet';
import type { DataFrame } from '../frame/frame.ts';
import { decodeFrame, encodeFrame } from '../frame/phy-payload.ts';
import { dataMic, isDataMicValid } from './mic.ts';
import { cryptFRMPayload } from './payload-cipher.ts';

/** The used part of lora-packet, an independent implementation. Its own types describe another module format. */
interface LoraPacket {
  fromWire(bytes: Buffer): object;
  fromFields(
    fields: object,
    appSKey: Buffer,
    nwkSKey: Buffer,
    appKey?: Buffer,
    fCntMSB?: Buffer,
  ): { PHYPayload?: Buffer };
  verifyMIC(packet: object, nwkSKey: Buffer, appKey?: Buffer, fCntMSB?: Buffer): boolean;
  decrypt(packet: object, appSKey: Buffer, nwkSKey: Buffer, fCntMSB?: Buffer): Buffer;
}

const { default: loraPacket } = loraPacketModule as unknown as { default: LoraPacket };

const key = fc.uint8Array({ minLength: 16, maxLength: 16 });
const sample = fc.record({
  nwkSKey: key,
  appSKey: key,
  devAddr: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  mType: fc.constantFrom('UnconfirmedDataUp', 'ConfirmedDataUp', 'UnconfirmedDataDown', 'ConfirmedDataDown'),
  fCnt: fc.nat(0xffffffff),
  fPort: fc.integer({ min: 1, max: 223 }),
  payload: fc.uint8Array({ minLength: 1, maxLength: 120 }),
});

describe('lora-packet', () => {
  it('verifies and decrypts our frames', () => {
    fc.assert(
      fc.property(sample, ({ nwkSKey, appSKey, devAddr, mType, fCnt, fPort, payload }) => {
        const direction = mType.endsWith('Up') ? 'up' : 'down';
        const context = { devAddr: devAddr.toHex(), fCnt, direction } as const;
        const frame: DataFrame = {
          mType,
          major: 0,
          devAddr: context.devAddr,
          fCtrl: { adr: true, adrAckReq: false, ack: false, fPending: false, classB: false },
          fCnt: fCnt % 0x10000,
          fOpts: new Uint8Array(),
          fPort,
          frmPayload: cryptFRMPayload(appSKey, context, payload),
          mic: new Uint8Array(4),
        };
        const bytes = encodeFrame(frame);
        const security = { version: '1.0', fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, fCnt } as const;
        bytes.set(dataMic(bytes.subarray(0, -4), security), bytes.length - 4);
        assert.ok(isDataMicValid(bytes, security));

        const packet = loraPacket.fromWire(Buffer.from(bytes));
        const fCntMSB = Buffer.from([(fCnt >>> 16) & 0xff, fCnt >>> 24]);
        assert.ok(loraPacket.verifyMIC(packet, Buffer.from(nwkSKey), undefined, fCntMSB));
        const opened = loraPacket.decrypt(packet, Buffer.from(appSKey), Buffer.from(nwkSKey), fCntMSB);
        assert.deepEqual(new Uint8Array(opened), payload);
      }),
      { numRuns: 50 },
    );
  });

  it('sends frames that we verify and decrypt', () => {
    const nwkSKey = Buffer.from('44024241ed4ce9a68c6a8bc055233fd3', 'hex');
    const appSKey = Buffer.from('ec925802ae430ca77fd3dd73cb2cc588', 'hex');
    const { PHYPayload } = loraPacket.fromFields(
      {
        MType: 'Unconfirmed Data Up',
        DevAddr: Buffer.from('49be7df1', 'hex'),
        FCtrl: { ADR: false, ACK: true, ADRACKReq: false, FPending: false },
        FCnt: Buffer.from('0003', 'hex'),
        FPort: 7,
        payload: 'test',
      },
      appSKey,
      nwkSKey,
    );
    assert.ok(PHYPayload);
    const bytes = new Uint8Array(PHYPayload);
    const frame = decodeFrame(bytes);
    assert.ok(frame.mType === 'UnconfirmedDataUp');
    assert.ok(isDataMicValid(bytes, { version: '1.0', fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, fCnt: 3 }));
    const clear = cryptFRMPayload(appSKey, { devAddr: frame.devAddr, fCnt: 3, direction: 'up' }, frame.frmPayload);
    assert.equal(new TextDecoder().decode(clear), 'test');
  });
});
