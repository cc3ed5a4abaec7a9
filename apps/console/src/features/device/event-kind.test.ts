import { describe, expect, it } from 'vitest';
import { type EventItem, eventKind, eventKindWith, readablePayload } from './event-kind.ts';

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
  const table: [string, object, string[], Record<string, string>][] = [
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
      ['moisture: 22.5', 'open: true'],
      { fCnt: '42', fPort: '10', dataRate: 'SF9BW125', frequency: '868.3', rssi: '-61', snr: '8.5', gateways: '2' },
    ],
    [
      'up',
      {
        txInfo: { frequency: 868800000 },
        rxInfo: [{ rssi: -101.7, loRaSNR: -1.6894533346601008 }],
        fCnt: 1,
        fPort: 2,
        confirmedUplink: true,
        data: 'AQAJmQ==',
        objectJSON: '',
      },
      ['2: 01000999', 'Confirmed'],
      { fCnt: '1', fPort: '2', frequency: '868.8', rssi: '-102', snr: '-1.7', gateways: '1' },
    ],
    ['join', { devAddr: 'AavN7w==' }, ['DevAddr: 01abcdef'], {}],
    ['status', { margin: 9, batteryLevel: 75.59 }, ['Margin: 9', 'Battery: 76%'], {}],
    ['status', { margin: -3, externalPowerSource: true, batteryLevel: 0 }, ['Margin: -3', 'External power'], {}],
    ['status', { margin: 0, batteryLevelUnavailable: true }, ['Margin: 0', 'Battery: n/a'], {}],
    ['ack', { acknowledged: true, fCnt: 12 }, ['acknowledged'], { fCnt: '12' }],
    ['ack', { acknowledged: false, fCnt: 12 }, ['not acknowledged'], { fCnt: '12' }],
    [
      'txack',
      { txInfo, fCnt: 12, gatewayID: 'uCfr//4RIjM=' },
      ['GW: b827ebfffe112233'],
      { fCnt: '12', dataRate: 'SF9BW125', frequency: '868.3' },
    ],
    ['error', { type: 'UPLINK_CODEC', error: 'decoder failed' }, ['UPLINK_CODEC', 'decoder failed'], {}],
    ['location', { location: {} }, [], {}],
  ];
  for (const [type, payload, chips, cells] of table) {
    it(`of ${type} says ${[...chips, ...Object.values(cells)].join(', ') || 'nothing more'}`, () => {
      const headline = eventKind.headlineOf(event(type, payload));
      expect(headline.chips.map(({ text, value }) => (value === undefined ? text : `${text}: ${value}`))).toEqual(
        chips,
      );
      expect(headline.cells).toEqual(cells);
    });
  }

  it('warns of a downlink that was not acknowledged', () => {
    expect(eventKind.headlineOf(event('ack', { acknowledged: false })).tone).toBe('attention');
    expect(eventKind.headlineOf(event('ack', { acknowledged: true })).tone).toBe('good');
  });

  it('has the units from the codec', () => {
    const kind = eventKindWith(() => ({ 'air.temp': { quantity: 'temperature', unit: '°F' } }));
    const [chip] = kind.headlineOf(event('up', { objectJSON: '{"air":{"temp":70.5}}' })).chips;
    expect([chip?.text, chip?.value]).toEqual(['air temp', '70.5 °F']);
  });

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
