import { describe, expect, it } from 'vitest';
import { frameKind } from './frame-kind.ts';

const txInfo = { frequency: 868100000, loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7 } };
const uplink = (phyPayload: object, publishedAt = '2026-11-21T10:15:30.123456Z') => ({
  uplinkFrame: {
    txInfo,
    rxInfo: [{ gatewayID: 'uCfr//4RIjM=', rssi: -61, loRaSNR: 8.5 }],
    phyPayloadJSON: JSON.stringify(phyPayload),
    publishedAt,
  },
});
const data = {
  mhdr: { mType: 'UnconfirmedDataUp' },
  macPayload: { fhdr: { devAddr: '01abcdef', fCnt: 42 }, fPort: 10 },
};
const downlink = {
  downlinkFrame: {
    txInfo,
    gatewayID: 'b827ebfffe112233',
    phyPayloadJSON: JSON.stringify({
      mhdr: { mType: 'UnconfirmedDataDown' },
      macPayload: { fhdr: { devAddr: '01abcdef', fCnt: 0 }, fPort: null },
    }),
    publishedAt: '2026-11-21T10:15:31Z',
  },
};
const text = (item: Parameters<typeof frameKind.headlineOf>[0]) => {
  const { type, chips, cells } = frameKind.headlineOf(item);
  return [type, ...chips.map((chip) => chip.text), ...Object.values(cells ?? {})].join(' | ');
};

describe('the headline of a frame', () => {
  it('summarises an uplink', () => {
    expect(text(uplink(data))).toBe('UnconfirmedDataUp | 01abcdef | 42 | 10 | 868.1 | SF7BW125 | -61 | 8.5 | 1');
  });

  it('names the device of a join-request', () => {
    const join = { mhdr: { mType: 'JoinRequest' }, macPayload: { devEUI: '0a1b2c3d4e5f6071', devNonce: 4 } };
    expect(text(uplink(join))).toMatch(/^JoinRequest \| 0a1b2c3d4e5f6071 \|/);
  });

  it('says why a join was refused, and which relay forwarded it', () => {
    const join = {
      mhdr: { mType: 'JoinRequest' },
      macPayload: { devEUI: '0a1b2c3d4e5f6071' },
      refused: { reason: 'WRONG_KEY', sentence: 'It is signed with another root key.' },
      relays: [
        { devEUI: '0102030405060708', name: 'hilltop-relay' },
        { devEUI: '0102030405060709', name: '' },
      ],
    };
    expect(text(uplink(join))).toMatch(
      /^JoinRequest \| Refused: It is signed with another root key\. \| through relay hilltop-relay \| through relay 0102030405060709 \|/,
    );
  });

  it('says why a stored frame was dropped, and how well it was received without its gateways', () => {
    const { uplinkFrame } = uplink({ ...data, dropped: 'wrong-mic' });
    const noteJSON = JSON.stringify({ bestRSSI: -101, bestSNR: -3, gatewayCount: 2 });
    const stored = { uplinkFrame: { ...uplinkFrame, rxInfo: [] }, noteJSON };
    expect(text(stored)).toContain('UnconfirmedDataUp | Dropped: Signed with another key (MIC) |');
    expect(text(stored)).toMatch(/\| -101 \| -3\.0 \| 2$/);
  });

  it('names the gateway of a downlink, omits a missing port and shows a counter of zero', () => {
    expect(text(downlink)).toBe('UnconfirmedDataDown | GW: b827ebfffe112233 | 01abcdef | 0 | 868.1 | SF7BW125');
  });
});

describe('frames', () => {
  it('of one instant are equal only when all their members are', () => {
    const other = uplink({ ...data, mic: '01020304' });
    expect(frameKind.orderOf(uplink(data))).toEqual(frameKind.orderOf(other));
    expect(frameKind.identityOf(uplink(data))).not.toBe(frameKind.identityOf(other));
    expect(frameKind.identityOf(uplink(data))).toBe(frameKind.identityOf(uplink(data)));
  });

  it('are exported with readable gateway ids and the parsed payload', () => {
    expect(frameKind.exportOf(uplink(data))).toMatchObject({
      txInfo,
      rxInfo: [{ gatewayID: 'b827ebfffe112233' }],
      phyPayload: data,
    });
  });
});
