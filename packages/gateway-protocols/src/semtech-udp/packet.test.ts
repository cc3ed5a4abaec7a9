import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PacketError } from '../packet-error.ts';
import type { Packet } from './packet.ts';
import { decodeHeader, decodePacket, encodePacket } from './packet.ts';
import { uplinksOf } from './rxpk.ts';
import { statsOf } from './stat.ts';
import { txAckStatusOf } from './tx-ack.ts';
import { downlinkItemOf, readTxpk } from './txpk.ts';

const gatewayID = '0102030405060708';

function text(hexHead: string, body: string): Uint8Array {
  return Uint8Array.fromHex(hexHead + new TextEncoder().encode(body).toHex());
}

describe('decodePacket', () => {
  const packets: [string, string, Packet][] = [
    [
      'PUSH_DATA with an empty object',
      '027b000001020304050607087b7d',
      { type: 'PUSH_DATA', version: 2, token: 123, gatewayID, rxpk: [], stat: undefined },
    ],
    ['PUSH_ACK', '027b0001', { type: 'PUSH_ACK', version: 2, token: 123 }],
    ['PULL_DATA', '027b00020102030405060708', { type: 'PULL_DATA', version: 2, token: 123, gatewayID }],
    ['PULL_ACK', '027b0004', { type: 'PULL_ACK', version: 2, token: 123 }],
    ['PULL_RESP with an empty object', '027b00037b7d', { type: 'PULL_RESP', version: 2, token: 123, txpk: undefined }],
    [
      'TX_ACK without a body',
      '027b00050807060504030201',
      { type: 'TX_ACK', version: 2, token: 123, gatewayID: '0807060504030201', error: '', warn: '' },
    ],
    [
      'TX_ACK whose body is one zero byte',
      '027b0005080706050403020100',
      { type: 'TX_ACK', version: 2, token: 123, gatewayID: '0807060504030201', error: '', warn: '' },
    ],
    [
      'TX_ACK with an error',
      '0200000500000000000000007b227478706b5f61636b223a7b226572726f72223a22434f4c4c4953494f4e5f424541434f4e227d7d',
      {
        type: 'TX_ACK',
        version: 2,
        token: 0,
        gatewayID: '0000000000000000',
        error: 'COLLISION_BEACON',
        warn: '',
      },
    ],
    ['protocol version 1 and a large token', '01feff04', { type: 'PULL_ACK', version: 1, token: 0xfffe }],
  ];
  for (const [what, hex, packet] of packets) {
    it(what, () => {
      const bytes = Uint8Array.fromHex(hex);
      assert.deepEqual(decodePacket(bytes), packet);
      assert.deepEqual(decodePacket(encodePacket(packet)), packet);
      const header = decodeHeader(bytes);
      assert.deepEqual({ ...packet, ...header }, packet);
    });
  }

  it('accepts JSON with trailing NULs', () => {
    const packet = decodePacket(text('020100000102030405060708', '{"stat":{"rxnb":1}}\0\0'));
    assert.ok(packet.type === 'PUSH_DATA');
    assert.deepEqual(packet.stat, { rxnb: 1 });
  });

  it('reads the gateway without parsing the JSON', () => {
    const header = decodeHeader(text('020100000102030405060708', 'anything'));
    assert.deepEqual(header, { type: 'PUSH_DATA', version: 2, token: 1, gatewayID });
  });
});

describe('invalid datagrams', () => {
  const head = '020100000102030405060708';
  const broken: [string, Uint8Array, string][] = [
    ['nothing', new Uint8Array(), 'short'],
    ['three bytes', Uint8Array.fromHex('020103'), 'short'],
    ['version 0', Uint8Array.fromHex('00010304'), 'version'],
    ['version 3', Uint8Array.fromHex('03010304'), 'version'],
    ['identifier 6', Uint8Array.fromHex('02010306'), 'identifier'],
    ['PUSH_DATA without EUI', Uint8Array.fromHex('02010300'), 'short'],
    ['PULL_DATA with half an EUI', Uint8Array.fromHex('0201030201020304'), 'short'],
    ['TX_ACK without EUI', Uint8Array.fromHex('02010305'), 'short'],
    ['PULL_DATA that goes on', Uint8Array.fromHex('020103020102030405060708ff'), 'length'],
    ['PUSH_ACK that goes on', Uint8Array.fromHex('0201030100'), 'length'],
    ['PULL_ACK that goes on', Uint8Array.fromHex('0201030400'), 'length'],
    ['PUSH_DATA without JSON', Uint8Array.fromHex(head), 'json'],
    ['PUSH_DATA with half a JSON', text(head, '{"rxpk":[{"tmst":'), 'json'],
    ['PUSH_DATA with a list', text(head, '[]'), 'field'],
    ['PUSH_DATA with null', text(head, 'null'), 'field'],
    ['rxpk that is no list', text(head, '{"rxpk":{}}'), 'field'],
    ['PULL_RESP without JSON', Uint8Array.fromHex('02010303'), 'json'],
    ['TX_ACK with half a JSON', text('020100050102030405060708', '{"txpk_ack"'), 'json'],
    ['TX_ACK with a number for error', text('020100050102030405060708', '{"txpk_ack":{"error":1}}'), 'field'],
    ['TX_ACK that is no object', text('020100050102030405060708', '{"txpk_ack":3}'), 'field'],
  ];
  for (const [what, bytes, fault] of broken) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => decodePacket(bytes),
        (error) => error instanceof PacketError && error.fault === fault,
      );
    });
  }
});

/** Decodes a datagram completely, as a server or a gateway does. */
function readAll(bytes: Uint8Array): void {
  const packet = decodePacket(bytes);
  switch (packet.type) {
    case 'PUSH_DATA':
      uplinksOf(packet);
      statsOf(packet);
      break;
    case 'PULL_RESP':
      downlinkItemOf(readTxpk(packet));
      break;
    case 'TX_ACK':
      txAckStatusOf(packet);
      break;
  }
}

function onlyPacketErrors(bytes: Uint8Array): void {
  try {
    readAll(bytes);
  } catch (error) {
    if (!(error instanceof PacketError)) throw error;
  }
}

describe('any bytes', () => {
  it('random ones are decoded or cause a PacketError', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), onlyPacketErrors), { numRuns: 2000 });
  });

  it('a valid header with any JSON is decoded or causes a PacketError', () => {
    const fields = ['tmst', 'time', 'tmms', 'ftime', 'freq', 'chan', 'brd', 'stat', 'modu', 'datr', 'codr', 'rssi'];
    const more = ['lsnr', 'hpw', 'size', 'data', 'rsig', 'etime', 'aesk', 'lati', 'rxnb', 'meta', 'imme', 'powe'];
    const likely = fc.oneof(
      fc.constantFrom('LORA', 'FSK', 'LR-FHSS', 'SF7BW125', 'M0CW137', '4/5', '2/6', 868.1, 1, -1, 'AAAA', '__proto__'),
      fc.jsonValue(),
    );
    const object = fc.dictionary(fc.constantFrom(...fields, ...more, 'rssic', 'error'), likely);
    const body = fc.record(
      {
        rxpk: fc.oneof(fc.array(fc.oneof(object, fc.jsonValue())), fc.jsonValue()),
        stat: fc.oneof(object, fc.jsonValue()),
        txpk: fc.oneof(object, fc.jsonValue()),
        txpk_ack: fc.oneof(object, fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const head = fc.constantFrom('020100000102030405060708', '02010003', '010100050102030405060708');
    fc.assert(
      fc.property(head, body, (bytes, json) => onlyPacketErrors(text(bytes, JSON.stringify(json)))),
      { numRuns: 2000 },
    );
  });

  it('a valid datagram with flipped bytes is decoded or causes a PacketError', () => {
    const json =
      '{"rxpk":[{"tmst":1,"freq":868.1,"stat":1,"modu":"LORA","datr":"SF7BW125","codr":"4/5","rssi":-1,"data":"AAAA"}]}';
    const good = text('020100000102030405060708', json);
    const flips = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(flips, fc.nat(good.length), (changes, length) => {
        const bytes = good.slice();
        for (const [at, value] of changes) bytes[at] = value;
        onlyPacketErrors(bytes);
        onlyPacketErrors(bytes.subarray(0, length));
      }),
      { numRuns: 2000 },
    );
  });
});
