import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw } from '@hilltop/protobuf';
import type { PushData } from './packet.ts';
import { formatStatTime, statsOf } from './stat.ts';

const gatewayID = 'b827ebfffe112233';
const push = (stat: unknown): PushData => ({ type: 'PUSH_DATA', version: 2, token: 1, gatewayID, rxpk: [], stat });

describe('statsOf', () => {
  it('reads a report', () => {
    const stats = statsOf(
      push({
        time: '2023-03-01 10:15:30 GMT',
        lati: 52.1,
        long: 5.2,
        alti: 12,
        rxnb: 7,
        rxok: 5,
        rxfw: 5,
        ackr: 100,
        dwnb: 3,
        txnb: 2,
        meta: { model: 'rooftop', number: 4 },
      }),
    );
    assert.deepEqual(
      stats,
      create(gw.GatewayStats, {
        gatewayID: Uint8Array.fromHex(gatewayID),
        time: new Date(Date.UTC(2023, 2, 1, 10, 15, 30)),
        location: { latitude: 52.1, longitude: 5.2, altitude: 12, source: 'GPS' },
        rxPacketsReceived: 7,
        rxPacketsReceivedOK: 5,
        txPacketsReceived: 3,
        txPacketsEmitted: 2,
        metaData: { model: 'rooftop' },
      }),
    );
  });

  it('has no location without GPS and no time without a clock', () => {
    for (const stat of [{ time: 'yesterday' }, { time: '2026-02-30 10:15:30 GMT' }, { lati: 0, long: 0, alti: 0 }]) {
      const stats = statsOf(push(stat));
      assert.equal(stats?.location, null);
      assert.equal(stats?.time, null);
    }
  });

  it('ignores only the negative ones of its counts', () => {
    const stats = statsOf(push({ rxnb: -1, rxok: '4', dwnb: 3 }));
    assert.deepEqual([stats?.rxPacketsReceived, stats?.rxPacketsReceivedOK, stats?.txPacketsReceived], [0, 4, 3]);
  });

  for (const position of [{ lati: 91 }, { long: -180.5 }, { alti: 1e6 }]) {
    it(`has no location outside the earth: ${JSON.stringify(position)}`, () => {
      assert.equal(statsOf(push({ lati: 52, long: 5, alti: 1, ...position }))?.location, null);
    });
  }

  it('limits the metadata of a gateway', () => {
    const meta = Object.fromEntries(Array.from({ length: 500 }, (_, nth) => [`name${nth}`, 'x'.repeat(1000)]));
    const metaData = statsOf(push({ meta: { ['long'.repeat(100)]: 'x', ...meta } }))?.metaData ?? {};
    assert.equal(Object.keys(metaData).length, 32);
    assert.deepEqual(new Set(Object.values(metaData).map(({ length }) => length)), new Set([256]));
    assert.equal(metaData['name0']?.length, 256);
  });

  it('is null when the datagram contains none', () => {
    assert.equal(statsOf(push(undefined)), null);
  });

  for (const stat of [7, [], { rxnb: 'many' }, { rxok: 1.5 }, { lati: 'north' }, { time: 3 }, { meta: 'x' }]) {
    it(`refuses ${JSON.stringify(stat)}`, () => {
      assert.throws(() => statsOf(push(stat)), { name: 'PacketError', fault: 'field' });
    });
  }

  it('writes the time as forwarders do', () => {
    const time = new Date(Date.UTC(2023, 2, 1, 10, 15, 30));
    assert.equal(formatStatTime(time), '2023-03-01 10:15:30 GMT');
    assert.deepEqual(statsOf(push({ time: formatStatTime(time) }))?.time, time);
  });
});
