import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InitOf } from '@hilltop/protobuf';
import { create, gw } from '@hilltop/protobuf';
import { decodePacket, encodePacket } from './packet.ts';
import { txAckStatusOf } from './tx-ack.ts';
import type { Txpk } from './txpk.ts';
import { downlinkItemOf, readTxpk, txpkOf } from './txpk.ts';

const loRaModulationInfo = { bandwidth: 125, spreadingFactor: 9, codeRate: '4/5', polarizationInversion: true };

function item(txInfo: InitOf<typeof gw.DownlinkTXInfo>): gw.DownlinkFrameItem {
  return create(gw.DownlinkFrameItem, {
    phyPayload: Uint8Array.of(0x60, 1, 2, 3),
    txInfo: { frequency: 868_100_000, power: 14, loRaModulationInfo, board: 1, antenna: 2, ...txInfo },
  });
}

function throughTheWire(txpk: Txpk): Txpk {
  const packet = decodePacket(encodePacket({ type: 'PULL_RESP', version: 2, token: 9, txpk }));
  assert.ok(packet.type === 'PULL_RESP');
  return readTxpk(packet);
}

const rest = {
  freq: 868.1,
  rfch: 0,
  powe: 14,
  ant: 2,
  brd: 1,
  modu: 'LORA',
  datr: 'SF9BW125',
  codr: '4/5',
  ipol: true,
  size: 4,
  data: 'YAECAw==',
};

describe('txpkOf', () => {
  const delay = (context: string, ms: number) =>
    item({ timing: 'DELAY', delayTimingInfo: { delay: ms }, context: Uint8Array.fromHex(context) });

  it('counts the delay from the uplink', () => {
    assert.deepEqual(txpkOf(delay('00000001', 1000)), { tmst: 1_000_001, ...rest });
  });

  it('wraps the concentrator time', () => {
    assert.equal(txpkOf(delay('ffffffff', 5000)).tmst, 4_999_999);
    assert.equal(txpkOf(delay('ffb3b4c0', 5000)).tmst, 0);
  });

  it('sends at once or at a GPS time', () => {
    assert.deepEqual(txpkOf(item({ timing: 'IMMEDIATELY', immediatelyTimingInfo: {} })), { imme: true, ...rest });
    const gps = item({ timing: 'GPS_EPOCH', gpsEpochTimingInfo: { timeSinceGPSEpoch: 1_361_700_948_500 } });
    assert.deepEqual(txpkOf(gps), { tmms: 1_361_700_948_500, ...rest });
  });

  it('contains FSK with its deviation', () => {
    const txpk = txpkOf(
      item({ loRaModulationInfo: undefined, modulation: 'FSK', fskModulationInfo: { datarate: 50_000 } }),
    );
    assert.deepEqual(
      [txpk.modu, txpk.datr, txpk.fdev, txpk.codr, txpk.ipol],
      ['FSK', 50_000, 25_000, undefined, false],
    );
  });

  it('contains CRC and preamble only on request', () => {
    const txpk = txpkOf(item({}), { withoutCRC: true, preamble: 16 });
    assert.deepEqual([txpk.ncrc, txpk.prea], [true, 16]);
    assert.equal('ncrc' in txpkOf(item({})), false);
  });

  it('refuses an item that the protocol cannot express', () => {
    const refused = { name: 'PacketError', fault: 'field' };
    assert.throws(() => txpkOf(delay('0001', 1000)), refused);
    assert.throws(() => txpkOf(item({ timing: 'GPS_EPOCH' })), refused);
    assert.throws(() => txpkOf(item({ loRaModulationInfo: undefined })), refused);
    assert.throws(() => txpkOf(create(gw.DownlinkFrameItem)), refused);
  });

  const items: [string, gw.DownlinkFrameItem][] = [
    ['at once', item({ timing: 'IMMEDIATELY', immediatelyTimingInfo: {} })],
    ['at GPS time', item({ timing: 'GPS_EPOCH', gpsEpochTimingInfo: { timeSinceGPSEpoch: 12_345 } })],
    ['at concentrator time', delay('01020304', 0)],
    [
      'by FSK',
      item({
        loRaModulationInfo: undefined,
        modulation: 'FSK',
        fskModulationInfo: { datarate: 50_000, frequencyDeviation: 25_000 },
        immediatelyTimingInfo: {},
      }),
    ],
  ];
  for (const [what, original] of items) {
    it(`is unchanged when read back: ${what}`, () => {
      assert.deepEqual(downlinkItemOf(throughTheWire(txpkOf(original))), original);
    });
  }
});

describe('readTxpk', () => {
  const broken: [string, object][] = [
    ['no timing', { tmst: undefined }],
    ['no data', { data: undefined }],
    ['no frequency', { freq: undefined }],
    ['an unknown modulation', { modu: 'LR-FHSS' }],
    ['a wrong data-rate', { datr: 'SF4BW125' }],
    ['a wrong time', { tmst: 'soon' }],
  ];
  for (const [what, change] of broken) {
    it(`refuses ${what}`, () => {
      const txpk = { tmst: 1, ...rest, ...change };
      assert.throws(() => readTxpk({ type: 'PULL_RESP', version: 2, token: 1, txpk }), { name: 'PacketError' });
    });
  }
});

describe('txAckStatusOf', () => {
  const statuses: [string, gw.TxAckStatus][] = [
    ['', 'OK'],
    ['NONE', 'OK'],
    ['TOO_LATE', 'TOO_LATE'],
    ['TOO_EARLY', 'TOO_EARLY'],
    ['COLLISION_PACKET', 'COLLISION_PACKET'],
    ['COLLISION_BEACON', 'COLLISION_BEACON'],
    ['TX_FREQ', 'TX_FREQ'],
    ['TX_POWER', 'TX_POWER'],
    ['GPS_UNLOCKED', 'GPS_UNLOCKED'],
    ['OUT_OF_COFFEE', 'INTERNAL_ERROR'],
  ];
  for (const [error, status] of statuses) {
    it(`${error || 'nothing'} is ${status}`, () => assert.equal(txAckStatusOf({ error }), status));
  }

  it('a warning means that it was sent', () => {
    const json = '{"txpk_ack":{"warn":"TX_POWER","value":20}}';
    const head = Uint8Array.fromHex('020100050102030405060708');
    const packet = decodePacket(Uint8Array.from([...head, ...new TextEncoder().encode(json)]));
    assert.ok(packet.type === 'TX_ACK');
    assert.equal(packet.warn, 'TX_POWER');
    assert.equal(txAckStatusOf(packet), 'OK');
    assert.deepEqual(decodePacket(encodePacket(packet)), packet);
  });
});
