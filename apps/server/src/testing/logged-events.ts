import type { LoggedEvent } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';

const at = new Date('2023-03-01T10:15:30.123Z');
const device = {
  applicationID: '7',
  applicationName: 'greenhouse',
  deviceName: 'soil-1',
  devEUI: 'ChssPU5fYHE=',
};
const tags = { site: 'north' };
const publishedAt = '2023-03-01T10:15:30.123456Z';
const lora = (spreadingFactor: number, polarizationInversion = false) => ({
  modulation: 'LORA',
  loRaModulationInfo: { bandwidth: 125, spreadingFactor, codeRate: '4/5', polarizationInversion },
});

export const sampleRXInfo = {
  gatewayID: 'uCfr//4RIjM=',
  time: null as string | null,
  timeSinceGPSEpoch: null as string | null,
  rssi: -61,
  loRaSNR: 8.5,
  channel: 2,
  rfChain: 0,
  board: 0,
  antenna: 0,
  location: { latitude: 52.1, longitude: 5.2, altitude: 12, source: 'CONFIG', accuracy: 0 },
  fineTimestampType: 'NONE',
  context: 'AQIDBA==',
  uplinkID: 'AAECAwQFBgcICQoLDA0ODw==',
  crcStatus: 'CRC_OK',
};

/** One event of each type, as in the recorded contract. */
const samples: Readonly<Record<EventType, object>> = {
  up: {
    ...device,
    rxInfo: [sampleRXInfo],
    txInfo: { frequency: 868300000, ...lora(9) },
    adr: true,
    dr: 3,
    fCnt: 42,
    fPort: 10,
    data: 'AOE=',
    objectJSON: '{"moisture":22.5}',
    tags,
    confirmedUplink: false,
    devAddr: 'AavN7w==',
    publishedAt,
    deviceProfileID: '3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11',
    deviceProfileName: 'soil-otaa',
  },
  join: {
    ...device,
    devAddr: 'AavN7w==',
    rxInfo: [],
    txInfo: { frequency: 868100000, ...lora(7) },
    dr: 5,
    tags,
    publishedAt,
  },
  ack: { ...device, acknowledged: true, fCnt: 12, tags, publishedAt },
  txack: {
    ...device,
    fCnt: 12,
    tags,
    gatewayID: 'uCfr//4RIjM=',
    txInfo: {
      gatewayID: null,
      frequency: 868300000,
      power: 14,
      ...lora(9, true),
      board: 0,
      antenna: 0,
      timing: 'DELAY',
      delayTimingInfo: { delay: '1s' },
      context: 'AQIDBA==',
    },
    publishedAt,
  },
  status: {
    ...device,
    margin: 9,
    externalPowerSource: false,
    batteryLevelUnavailable: false,
    batteryLevel: 75.59,
    tags,
    publishedAt,
  },
  error: { ...device, type: 'UPLINK_CODEC', error: 'decoder failed', fCnt: 43, tags, publishedAt },
  location: {
    ...device,
    location: { latitude: 52.1, longitude: 5.2, altitude: 0, source: 'GEO_RESOLVER_RSSI', accuracy: 0 },
    tags,
    uplinkIDs: ['AAECAwQFBgcICQoLDA0ODw=='],
    fCnt: 0,
    publishedAt,
  },
  integration: {
    ...device,
    tags: {},
    integrationName: 'loracloud',
    eventType: 'DAS_UplinkResponse',
    objectJSON: '{"result":{}}',
    publishedAt,
  },
};

/** The sample event of a type as the log stores it, with some members of its payload changed. */
export function loggedEvent(type: EventType, change: object = {}): LoggedEvent {
  const devEUI = '0a1b2c3d4e5f6071';
  const json = JSON.stringify({ ...samples[type], ...change });
  return { id: `${devEUI}-1677665730125-42`, pos: 1, type, devEUI, applicationID: 7, at, json };
}
