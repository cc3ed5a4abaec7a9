import { describe, expect, it } from 'vitest';
import { type EventItem, eventKind, readablePayload } from './event-kind.ts';

const event = (type: string, payload: object): EventItem => ({
  type,
  payloadJSON: JSON.stringify(payload),
  publishedAt: '2026-11-21T10:15:30.125604Z',
  streamID: '1795256130125-0',
});
const txInfo = { frequency: 868300000, loRaModulationInfo: { bandwidth: 125, spreadingFactor: 9 } };
const rxInfo = [
  { gatewayID: 'uCfr//4RIjQ=', uplinkID: null, rssi: -91, loRaSNR: 2.5 },
  { gatewayID: 'uCfr//4RIjM=', uplinkID: 'AAECAwQFBgcICQoLDA0ODw==', rssi: -61, loRaSNR: 8.5 },
];

describe('the headline of an event', () => {
  const table: [string, object, string[]][] = [
    [
      'up',
      {
        txInfo,
        rxInfo,
        fCnt: 42,
        fPort: 10,
        confirmedUplink: false,
        objectJSON: '{"moisture":22.5,"raw":[1],"open":true}',
      },
      [
        'moisture: 22.5',
        'open: true',
        '868.3 MHz',
        'SF9',
        'BW125',
        'FCnt: 42',
        'FPort: 10',
        'Unconfirmed',
        'RSSI: -61 dBm',
        'SNR: 8.5 dB',
        '2 gateways',
      ],
    ],
    [
      'up',
      { txInfo: { frequency: 868800000 }, rxInfo: [], fCnt: 1, fPort: 2, confirmedUplink: true, objectJSON: '' },
      ['868.8 MHz', 'FCnt: 1', 'FPort: 2', 'Confirmed'],
    ],
    ['join', { devAddr: 'AavN7w==' }, ['DevAddr: 01abcdef']],
    ['status', { margin: 9, batteryLevel: 75.59 }, ['Margin: 9', 'Battery: 76%']],
    ['status', { margin: -3, externalPowerSource: true, batteryLevel: 0 }, ['Margin: -3', 'External power']],
    ['status', { margin: 0, batteryLevelUnavailable: true }, ['Margin: 0', 'Battery: n/a']],
    ['ack', { acknowledged: true, fCnt: 12 }, ['Ack: true', 'FCnt: 12']],
    [
      'txack',
      { txInfo, fCnt: 12, gatewayID: 'uCfr//4RIjM=' },
      ['868.3 MHz', 'SF9', 'BW125', 'FCnt: 12', 'GW: b827ebfffe112233'],
    ],
    ['error', { type: 'UPLINK_CODEC', error: 'decoder failed' }, ['UPLINK_CODEC', 'decoder failed']],
    ['location', { location: {} }, []],
  ];
  for (const [type, payload, chips] of table) {
    it(`of ${type} says ${chips.join(', ') || 'nothing more'}`, () => {
      expect(eventKind.headlineOf(event(type, payload)).chips.map((chip) => chip.text)).toEqual(chips);
    });
  }

  it('handles a payload that is not JSON', () => {
    expect(eventKind.headlineOf({ ...event('up', {}), payloadJSON: 'broken' }).type).toBe('up');
  });
});

describe('the payload of an event', () => {
  it('shows identifiers as hex, uplink ids as UUID, the object as a tree, and the data unchanged', () => {
    const payload = {
      devEUI: 'ChssPU5fYHE=',
      devAddr: 'AavN7w==',
      rxInfo,
      data: 'AOE=',
      objectJSON: '{"a":1}',
      uplinkIDs: ['AAECAwQFBgcICQoLDA0ODw=='],
    };
    expect(readablePayload(event('up', payload))).toMatchObject({
      devEUI: '0a1b2c3d4e5f6071',
      devAddr: '01abcdef',
      data: 'AOE=',
      objectJSON: { a: 1 },
      uplinkIDs: ['00010203-0405-0607-0809-0a0b0c0d0e0f'],
      rxInfo: [
        { gatewayID: 'b827ebfffe112234', uplinkID: null, rssi: -91 },
        { gatewayID: 'b827ebfffe112233', uplinkID: '00010203-0405-0607-0809-0a0b0c0d0e0f' },
      ],
    });
  });
});
