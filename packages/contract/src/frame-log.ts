/** LoRaWAN frames as the frame streams carry them. */
import { Location } from './location.ts';
import {
  alternative,
  bool,
  bytes,
  double,
  duration,
  enumeration,
  int32,
  listOf,
  message,
  oneOf,
  optional,
  text,
  timestamp,
  uint32,
  type ValueOf,
} from './wire.ts';

export const Modulation = enumeration('common.Modulation', ['LORA', 'FSK', 'LR_FHSS']);
export const CRCStatus = enumeration('gw.CRCStatus', ['NO_CRC', 'BAD_CRC', 'CRC_OK']);
export const FineTimestampType = enumeration('gw.FineTimestampType', ['NONE', 'ENCRYPTED', 'PLAIN']);
export const DownlinkTiming = enumeration('gw.DownlinkTiming', ['IMMEDIATELY', 'DELAY', 'GPS_EPOCH']);

const LoRaModulationInfo = message('gw.LoRaModulationInfo', {
  bandwidth: uint32({ unit: 'kHz' }),
  spreadingFactor: uint32(),
  codeRate: text(),
  polarizationInversion: bool(),
});

const FSKModulationInfo = message('gw.FSKModulationInfo', {
  frequencyDeviation: uint32({ unit: 'Hz' }),
  datarate: uint32({ unit: 'bit/s' }),
});

const LRFHSSModulationInfo = message('gw.LRFHSSModulationInfo', {
  operatingChannelWidth: uint32({ unit: 'Hz' }),
  codeRate: text(),
  gridSteps: uint32(),
});

const EncryptedFineTimestamp = message('gw.EncryptedFineTimestamp', {
  aesKeyIndex: uint32(),
  encryptedNS: bytes(),
  fpgaID: bytes(),
});

const PlainFineTimestamp = message('gw.PlainFineTimestamp', { time: timestamp() });

export const UplinkTXInfo = message('gw.UplinkTXInfo', {
  frequency: uint32({ unit: 'Hz' }),
  modulation: oneOf(Modulation),
  loRaModulationInfo: alternative(LoRaModulationInfo),
  fskModulationInfo: alternative(FSKModulationInfo),
  lrFHSSModulationInfo: alternative(LRFHSSModulationInfo),
});
export type UplinkTXInfo = ValueOf<typeof UplinkTXInfo>;

export const UplinkRXInfo = message(
  'gw.UplinkRXInfo',
  {
    gatewayID: bytes(),
    time: timestamp(),
    timeSinceGPSEpoch: duration(),
    rssi: int32({ unit: 'dBm' }),
    loRaSNR: double({ unit: 'dB' }),
    channel: uint32(),
    rfChain: uint32(),
    board: uint32(),
    antenna: uint32(),
    location: optional(Location),
    fineTimestampType: oneOf(FineTimestampType),
    encryptedFineTimestamp: alternative(EncryptedFineTimestamp),
    plainFineTimestamp: alternative(PlainFineTimestamp),
    context: bytes(),
    uplinkID: bytes(),
    crcStatus: oneOf(CRCStatus),
  },
  [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
);
export type UplinkRXInfo = ValueOf<typeof UplinkRXInfo>;

export const DownlinkTXInfo = message(
  'gw.DownlinkTXInfo',
  {
    gatewayID: bytes(),
    frequency: uint32({ unit: 'Hz' }),
    power: int32({ unit: 'dBm' }),
    modulation: oneOf(Modulation),
    loRaModulationInfo: alternative(LoRaModulationInfo),
    fskModulationInfo: alternative(FSKModulationInfo),
    board: uint32(),
    antenna: uint32(),
    timing: oneOf(DownlinkTiming),
    immediatelyTimingInfo: alternative(message('gw.ImmediatelyTimingInfo', {})),
    delayTimingInfo: alternative(message('gw.DelayTimingInfo', { delay: duration() })),
    gpsEpochTimingInfo: alternative(message('gw.GPSEpochTimingInfo', { timeSinceGPSEpoch: duration() })),
    context: bytes(),
  },
  [1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
);
export type DownlinkTXInfo = ValueOf<typeof DownlinkTXInfo>;

export const UplinkFrameLog = message('api.UplinkFrameLog', {
  txInfo: optional(UplinkTXInfo),
  rxInfo: listOf(UplinkRXInfo),
  phyPayloadJSON: text(),
  publishedAt: timestamp(),
});
export type UplinkFrameLog = ValueOf<typeof UplinkFrameLog>;

export const DownlinkFrameLog = message('api.DownlinkFrameLog', {
  txInfo: optional(DownlinkTXInfo),
  phyPayloadJSON: text(),
  gatewayID: text(),
  publishedAt: timestamp(),
});
export type DownlinkFrameLog = ValueOf<typeof DownlinkFrameLog>;

const frame = { uplinkFrame: alternative(UplinkFrameLog), downlinkFrame: alternative(DownlinkFrameLog) } as const;

export const StreamGatewayFrameLogsResponse = message('api.StreamGatewayFrameLogsResponse', frame);
export const StreamDeviceFrameLogsResponse = message('api.StreamDeviceFrameLogsResponse', frame);
/** One item of either frame stream: exactly one of the two members. */
export type FrameLogItem = ValueOf<typeof StreamDeviceFrameLogsResponse>;
