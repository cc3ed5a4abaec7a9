import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import golden from './golden/events.json' with { type: 'json' };
import { as, common, create, fromJson, gw, integration, ns, timestamp, toJson, toJsonText } from './index.ts';

const soil = {
  applicationID: '7',
  applicationName: 'greenhouse',
  deviceName: 'soil-1',
  devEUI: Uint8Array.fromHex('0a1b2c3d4e5f6071'),
  tags: { site: 'north' },
  publishedAt: timestamp(Date.UTC(2023, 2, 1, 10, 15, 30, 123), 456_000),
};
const devAddr = Uint8Array.fromHex('01abcdef');
const gatewayID = Uint8Array.fromHex('b827ebfffe112233');
const uplinkID = Uint8Array.fromHex('000102030405060708090a0b0c0d0e0f');
const context = Uint8Array.of(1, 2, 3, 4);

const uplink = create(integration.UplinkEvent, {
  ...soil,
  rxInfo: [
    {
      gatewayID,
      rssi: -61,
      loRaSNR: 8.5,
      channel: 2,
      location: { latitude: 52.1, longitude: 5.2, altitude: 12, source: 'CONFIG' },
      context,
      uplinkID,
      crcStatus: 'CRC_OK',
    },
  ],
  txInfo: { frequency: 868_300_000, loRaModulationInfo: { bandwidth: 125, spreadingFactor: 9, codeRate: '4/5' } },
  adr: true,
  dr: 3,
  fCnt: 42,
  fPort: 10,
  data: Uint8Array.of(0, 0xe1),
  objectJSON: '{"moisture":22.5}',
  devAddr,
  deviceProfileID: '3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11',
  deviceProfileName: 'soil-otaa',
});

describe('toJson of the published event payloads', () => {
  it('up', () => {
    assert.equal(toJsonText(integration.UplinkEvent, uplink), JSON.stringify(golden.up));
  });

  it('join', () => {
    const event = create(integration.JoinEvent, {
      ...soil,
      devAddr,
      txInfo: { frequency: 868_100_000, loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7, codeRate: '4/5' } },
      dr: 5,
    });
    assert.equal(toJsonText(integration.JoinEvent, event), JSON.stringify(golden.join));
  });

  it('status', () => {
    const event = create(integration.StatusEvent, { ...soil, margin: 9, batteryLevel: 75.59 });
    assert.equal(toJsonText(integration.StatusEvent, event), JSON.stringify(golden.status));
  });

  it('ack', () => {
    const event = create(integration.AckEvent, { ...soil, acknowledged: true, fCnt: 12 });
    assert.equal(toJsonText(integration.AckEvent, event), JSON.stringify(golden.ack));
  });

  it('txack', () => {
    const event = create(integration.TxAckEvent, {
      ...soil,
      fCnt: 12,
      gatewayID,
      txInfo: {
        frequency: 868_300_000,
        power: 14,
        loRaModulationInfo: { bandwidth: 125, spreadingFactor: 9, codeRate: '4/5', polarizationInversion: true },
        timing: 'DELAY',
        delayTimingInfo: { delay: 1000 },
        context,
      },
    });
    assert.equal(toJsonText(integration.TxAckEvent, event), JSON.stringify(golden.txack));
  });

  it('error', () => {
    const event = create(integration.ErrorEvent, { ...soil, type: 'UPLINK_CODEC', error: 'decoder failed', fCnt: 43 });
    assert.equal(toJsonText(integration.ErrorEvent, event), JSON.stringify(golden.error));
  });

  it('location', () => {
    const event = create(integration.LocationEvent, {
      ...soil,
      location: { latitude: 52.1, longitude: 5.2, source: 'GEO_RESOLVER_RSSI' },
      uplinkIDs: [uplinkID],
    });
    assert.equal(toJsonText(integration.LocationEvent, event), JSON.stringify(golden.location));
  });

  it('integration', () => {
    const event = create(integration.IntegrationEvent, {
      ...soil,
      tags: {},
      integrationName: 'loracloud',
      eventType: 'DAS_UplinkResponse',
      objectJSON: '{"result":{}}',
    });
    assert.equal(toJsonText(integration.IntegrationEvent, event), JSON.stringify(golden.integration));
  });
});

describe('toJson', () => {
  it('emits every default and leaves out oneof members', () => {
    assert.deepEqual(toJson(gw.UplinkTXInfo, create(gw.UplinkTXInfo)), { frequency: 0, modulation: 'LORA' });
    assert.deepEqual(toJson(gw.GatewayStats, create(gw.GatewayStats)), {
      gatewayID: null,
      ip: '',
      time: null,
      location: null,
      configVersion: '',
      rxPacketsReceived: 0,
      rxPacketsReceivedOK: 0,
      txPacketsReceived: 0,
      txPacketsEmitted: 0,
      metaData: {},
      statsID: null,
      txPacketsPerFrequency: {},
      rxPacketsPerFrequency: {},
      txPacketsPerModulation: [],
      rxPacketsPerModulation: [],
      txPacketsPerStatus: {},
    });
    assert.equal(toJson(integration.AckEvent, create(integration.AckEvent)).applicationID, '0');
    assert.equal(toJson(ns.GetVersionResponse, create(ns.GetVersionResponse)).region, 'EU868');
  });

  it('sorts maps by key and keeps hostile keys as plain ones', () => {
    const tags = Object.fromEntries([
      ['b', '2'],
      ['__proto__', 'x'],
      ['a', '1'],
    ]);
    const event = create(integration.AckEvent, { tags });
    const { tags: json } = toJson(integration.AckEvent, event);
    assert.equal(JSON.stringify(json), '{"__proto__":"x","a":"1","b":"2"}');
  });

  it('writes floats in their shortest form and what is not finite as text', () => {
    const battery = (batteryLevel: number) =>
      toJson(as.SetDeviceStatusRequest, create(as.SetDeviceStatusRequest, { batteryLevel })).batteryLevel;
    assert.equal(battery(Math.fround(75.59)), 75.59);
    assert.equal(battery(0.1), 0.1);
    assert.equal(battery(16_777_215), 16_777_215);
    const latitude = Number.NaN;
    assert.equal(toJson(common.Location, create(common.Location, { latitude })).latitude, 'NaN');
  });

  it('comes back through fromJson', () => {
    assert.deepEqual(fromJson(integration.UplinkEvent, toJson(integration.UplinkEvent, uplink)), uplink);
  });
});
