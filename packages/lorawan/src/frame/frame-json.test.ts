import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { concatBytes } from '../bytes.ts';
import type { DataFrame } from './frame.ts';
import { anyFrameToJson, frameToJson } from './frame-json.ts';
import { encodeJoinAccept } from './join-accept.ts';
import { encodeFrame } from './phy-payload.ts';

const uplink: DataFrame = {
  mType: 'UnconfirmedDataUp',
  major: 0,
  devAddr: '01abcdef',
  fCtrl: { adr: true, adrAckReq: false, ack: false, fPending: false, classB: false },
  fCnt: 42,
  fOpts: Uint8Array.fromHex('02'),
  fPort: 10,
  frmPayload: Uint8Array.fromHex('1122'),
  mic: Uint8Array.fromHex('01020304'),
};

const fCtrl = { adr: true, adrAckReq: false, ack: false, fPending: false, classB: false };

describe('frameToJson', () => {
  it('shows an uplink with its MAC commands', () => {
    assert.deepEqual(frameToJson(encodeFrame(uplink), { macCommandsDecoded: true }), {
      mhdr: { mType: 'UnconfirmedDataUp', major: 'LoRaWANR1' },
      macPayload: {
        fhdr: { devAddr: '01abcdef', fCtrl, fCnt: 42, fOpts: [{ cid: 'LinkCheckReq', payload: null }] },
        fPort: 10,
        frmPayload: [{ bytes: 'ESI=' }],
      },
      mic: '01020304',
    });
  });

  it('keeps FOpts opaque on request', () => {
    const { macPayload } = frameToJson(encodeFrame(uplink), { macCommandsDecoded: false });
    assert.deepEqual(macPayload, {
      fhdr: { devAddr: '01abcdef', fCtrl, fCnt: 42, fOpts: [{ bytes: 'Ag==' }] },
      fPort: 10,
      frmPayload: [{ bytes: 'ESI=' }],
    });
  });

  it('shows absent fields as null', () => {
    const empty = { ...uplink, fOpts: new Uint8Array(), fPort: null, frmPayload: new Uint8Array() };
    const { macPayload } = frameToJson(encodeFrame(empty), { macCommandsDecoded: true });
    assert.deepEqual(macPayload, {
      fhdr: { devAddr: '01abcdef', fCtrl, fCnt: 42, fOpts: null },
      fPort: null,
      frmPayload: null,
    });
  });

  it('reads FRMPayload on FPort 0 as commands', () => {
    const frame: DataFrame = {
      ...uplink,
      mType: 'ConfirmedDataDown',
      fOpts: new Uint8Array(),
      fPort: 0,
      frmPayload: Uint8Array.fromHex('0501d2ad8406'),
    };
    const { macPayload } = frameToJson(encodeFrame(frame), { macCommandsDecoded: true });
    assert.deepEqual(macPayload.frmPayload, [
      { cid: 'RXParamSetupReq', payload: { frequency: 869525000, dlSettings: '01' } },
      { cid: 'DevStatusReq', payload: null },
    ]);
  });

  it('shows join-request, rejoin-request, proprietary and encrypted join-accept', () => {
    const show = (hex: string) => frameToJson(Uint8Array.fromHex(hex), { macCommandsDecoded: true });
    assert.deepEqual(show('00040302010403020105040302050403022d106a990e12'), {
      mhdr: { mType: 'JoinRequest', major: 'LoRaWANR1' },
      macPayload: { joinEUI: '0102030401020304', devEUI: '0203040502030405', devNonce: 4141 },
      mic: '6a990e12',
    });
    assert.deepEqual(show('c0020302010807060504030201db003c8642ae').macPayload, {
      rejoinType: 2,
      netID: '010203',
      devEUI: '0102030405060708',
      rjCount0: 219,
    });
    assert.deepEqual(show('c0010807060504030201100f0e0d0c0b0a09db00eac31072').macPayload, {
      rejoinType: 1,
      joinEUI: '0102030405060708',
      devEUI: '090a0b0c0d0e0f10',
      rjCount1: 219,
    });
    assert.deepEqual(show('e005060708090a01020304'), {
      mhdr: { mType: 'Proprietary', major: 'LoRaWANR1' },
      macPayload: { bytes: 'BQYHCAkK' },
      mic: '01020304',
    });
    const sealed = Uint8Array.fromHex('20493eeb51fba2116f810edb3742975142');
    assert.deepEqual(frameToJson(sealed, { macCommandsDecoded: false }), {
      mhdr: { mType: 'JoinAccept', major: 'LoRaWANR1' },
      macPayload: { bytes: 'ST7rUfuiEW+BDts3' },
      mic: '42975142',
    });
  });

  it('shows a decrypted join-accept completely', () => {
    const accept = {
      joinNonce: 7,
      netID: '000013',
      devAddr: '26012345',
      dlSettings: { optNeg: true, rx1DROffset: 0, rx2DataRate: 3 },
      rxDelay: 1,
      cFList: null,
    };
    const bytes = concatBytes(Uint8Array.of(0x20), encodeJoinAccept(accept), Uint8Array.fromHex('01020304'));
    assert.deepEqual(frameToJson(bytes, { macCommandsDecoded: true }).macPayload, {
      joinNonce: 7,
      homeNetID: '000013',
      devAddr: '26012345',
      dlSettings: '83',
      rxDelay: 1,
      cFlist: null,
    });
  });
});

describe('anyFrameToJson', () => {
  const decoded = { macCommandsDecoded: true } as const;
  it('shows a valid frame like frameToJson', () => {
    const bytes = encodeFrame(uplink);
    assert.deepEqual(anyFrameToJson(bytes, decoded), frameToJson(bytes, decoded));
  });

  it('shows incomplete commands as bytes', () => {
    const bytes = encodeFrame({ ...uplink, fOpts: Uint8Array.fromHex('03') });
    assert.throws(() => frameToJson(bytes, decoded));
    assert.deepEqual(anyFrameToJson(bytes, decoded), frameToJson(bytes, { macCommandsDecoded: false }));
  });

  const broken = [
    ['40aabbccdd', 'UnconfirmedDataUp', '', 'aabbccdd'],
    ['00112233445566', 'JoinRequest', 'ESI=', '33445566'],
    ['2011', 'JoinAccept', 'EQ==', ''],
    ['', 'Proprietary', '', ''],
  ] as const;
  for (const [hex, mType, bytes, mic] of broken) {
    it(`shows header and bytes of ${hex || 'nothing'}`, () => {
      assert.deepEqual(anyFrameToJson(Uint8Array.fromHex(hex), decoded), {
        mhdr: { mType, major: 'LoRaWANR1' },
        macPayload: { bytes },
        mic,
      });
    });
  }
});
