/** Sample messages for tests of both versions. */
import { create, gw, timestamp } from '@hilltop/protobuf';
import { readBridgeMessage } from '../bridge.ts';
import { readBridgeTopic } from '../topic.ts';

export const gatewayID = '0102030405060708';
export const idBytes = Uint8Array.fromHex(gatewayID);
export const phyPayload = Uint8Array.fromHex('400403020180010002aabb01020304');
export const read = (rest: string, bytes: Uint8Array) =>
  readBridgeMessage(readBridgeTopic(`gateway/${gatewayID}/${rest}`)!, bytes);

export function readUp(bytes: Uint8Array) {
  const message = read('event/up', bytes);
  if (message.name !== 'up') throw new Error(`It is ${message.name}.`);
  return message;
}

export const received = create(gw.UplinkFrame, {
  phyPayload,
  txInfo: {
    frequency: 868_100_000,
    modulation: 'LORA',
    loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7, codeRate: '4/5' },
  },
  rxInfo: {
    gatewayID: idBytes,
    time: timestamp(Date.UTC(2026, 0, 2, 3, 4, 5), 0),
    timeSinceGPSEpoch: 1_300_000_000_000,
    rssi: -60,
    loRaSNR: 7,
    channel: 2,
    rfChain: 1,
    board: 1,
    antenna: 1,
    context: Uint8Array.of(1, 2, 3, 4),
    crcStatus: 'CRC_OK',
  },
});

export const answer = create(gw.DownlinkFrame, {
  downlinkID: Uint8Array.fromHex('a1b2c3d4000000000000000000000001'),
  token: 0xa1b2,
  gatewayID: idBytes,
  items: [
    {
      phyPayload: Uint8Array.of(0x60, 1),
      txInfo: {
        frequency: 868_100_000,
        power: 14,
        modulation: 'LORA',
        loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7, codeRate: '4/5', polarizationInversion: true },
        timing: 'DELAY',
        delayTimingInfo: { delay: 1000 },
        board: 1,
        antenna: 1,
        context: Uint8Array.of(1, 2, 3, 4),
      },
    },
    {
      phyPayload: Uint8Array.of(0x60, 2),
      txInfo: {
        frequency: 869_525_000,
        power: 27,
        modulation: 'FSK',
        fskModulationInfo: { datarate: 50_000, frequencyDeviation: 25_000 },
        timing: 'GPS_EPOCH',
        gpsEpochTimingInfo: { timeSinceGPSEpoch: 1_300_000_000_128 },
      },
    },
  ],
});

export const channels = create(gw.GatewayConfiguration, {
  gatewayID: idBytes,
  version: 'abc-1',
  statsInterval: 30_000,
  channels: [
    { frequency: 868_100_000, modulation: 'LORA', loRaModulationConfig: { bandwidth: 125, spreadingFactors: [7, 12] } },
    { frequency: 868_800_000, modulation: 'FSK', fskModulationConfig: { bandwidth: 150, bitrate: 50_000 } },
  ],
});
