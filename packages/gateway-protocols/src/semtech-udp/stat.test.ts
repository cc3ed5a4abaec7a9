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

  it('knows no place without GPS and no time without a clock', () => {
    for (const stat of [{ time: 'yesterday' }, { lati: 0, long: 0, alti: 0 }]) {
      const stats = statsOf(push(stat));
      assert.equal(stats?.location, null);
      assert.equal(stats?.time, null);
    }
  });

  it('is null when the datagram brings none', () => {
    assert.equal(statsOf(push(undefined)), null);
  });

  for (const stat of [7, [], { rxnb: -1 }, { rxok: 1.5 }, { lati: 'north' }, { time: 3 }, { meta: 'x' }]) {
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
