/** Messages between gateways and the network server. */
import type { EnumOf } from '../enumeration.ts';
import { enumeration } from '../enumeration.ts';
import type { MessageOf } from '../message.ts';
import { map, message, repeated } from '../message.ts';
import * as common from './common.ts';

export const CRCStatus = enumeration('gw.CRCStatus', { NO_CRC: 0, BAD_CRC: 1, CRC_OK: 2 });
export type CRCStatus = EnumOf<typeof CRCStatus>;

export const ConnStateState = enumeration('gw.ConnState.State', { OFFLINE: 0, ONLINE: 1 });
export type ConnStateState = EnumOf<typeof ConnStateState>;

export const DownlinkTiming = enumeration('gw.DownlinkTiming', { IMMEDIATELY: 0, DELAY: 1, GPS_EPOCH: 2 });
export type DownlinkTiming = EnumOf<typeof DownlinkTiming>;

export const FineTimestampType = enumeration('gw.FineTimestampType', { NONE: 0, ENCRYPTED: 1, PLAIN: 2 });
export type FineTimestampType = EnumOf<typeof FineTimestampType>;

export const TxAckStatus = enumeration('gw.TxAckStatus', {
  IGNORED: 0,
  OK: 1,
  TOO_LATE: 2,
  TOO_EARLY: 3,
  COLLISION_PACKET: 4,
  COLLISION_BEACON: 5,
  TX_FREQ: 6,
  TX_POWER: 7,
  GPS_UNLOCKED: 8,
  QUEUE_FULL: 9,
  INTERNAL_ERROR: 10,
});
export type TxAckStatus = EnumOf<typeof TxAckStatus>;

export const LoRaModulationConfig = message('gw.LoRaModulationConfig', {
  bandwidth: [1, 'uint32'],
  spreadingFactors: [2, repeated('uint32')],
});
export type LoRaModulationConfig = MessageOf<typeof LoRaModulationConfig>;

export const FSKModulationConfig = message('gw.FSKModulationConfig', {
  bandwidth: [1, 'uint32'],
  bitrate: [2, 'uint32'],
});
export type FSKModulationConfig = MessageOf<typeof FSKModulationConfig>;

export const ChannelConfiguration = message('gw.ChannelConfiguration', {
  frequency: [1, 'uint32'],
  modulation: [2, common.Modulation],
  loRaModulationConfig: [3, LoRaModulationConfig, { oneof: 'modulation_config', proto: 'lora_modulation_config' }],
  fskModulationConfig: [4, FSKModulationConfig, { oneof: 'modulation_config' }],
  board: [5, 'uint32'],
  demodulator: [6, 'uint32'],
});
export type ChannelConfiguration = MessageOf<typeof ChannelConfiguration>;

export const ConnState = message('gw.ConnState', {
  gatewayID: [1, 'bytes'],
  state: [2, ConnStateState],
});
export type ConnState = MessageOf<typeof ConnState>;

export const DelayTimingInfo = message('gw.DelayTimingInfo', {
  delay: [1, 'duration'],
});
export type DelayTimingInfo = MessageOf<typeof DelayTimingInfo>;

export const LoRaModulationInfo = message('gw.LoRaModulationInfo', {
  bandwidth: [1, 'uint32'],
  spreadingFactor: [2, 'uint32'],
  codeRate: [3, 'string'],
  polarizationInversion: [4, 'bool'],
});
export type LoRaModulationInfo = MessageOf<typeof LoRaModulationInfo>;

export const FSKModulationInfo = message('gw.FSKModulationInfo', {
  frequencyDeviation: [1, 'uint32'],
  datarate: [2, 'uint32'],
});
export type FSKModulationInfo = MessageOf<typeof FSKModulationInfo>;

export const ImmediatelyTimingInfo = message('gw.ImmediatelyTimingInfo', {});
export type ImmediatelyTimingInfo = MessageOf<typeof ImmediatelyTimingInfo>;

export const GPSEpochTimingInfo = message('gw.GPSEpochTimingInfo', {
  timeSinceGPSEpoch: [1, 'duration'],
});
export type GPSEpochTimingInfo = MessageOf<typeof GPSEpochTimingInfo>;

export const DownlinkTXInfo = message('gw.DownlinkTXInfo', {
  gatewayID: [1, 'bytes'],
  frequency: [5, 'uint32'],
  power: [6, 'int32'],
  modulation: [7, common.Modulation],
  loRaModulationInfo: [8, LoRaModulationInfo, { oneof: 'modulation_info', proto: 'lora_modulation_info' }],
  fskModulationInfo: [9, FSKModulationInfo, { oneof: 'modulation_info' }],
  board: [10, 'uint32'],
  antenna: [11, 'uint32'],
  timing: [12, DownlinkTiming],
  immediatelyTimingInfo: [13, ImmediatelyTimingInfo, { oneof: 'timing_info' }],
  delayTimingInfo: [14, DelayTimingInfo, { oneof: 'timing_info' }],
  gpsEpochTimingInfo: [15, GPSEpochTimingInfo, { oneof: 'timing_info' }],
  context: [16, 'bytes'],
});
export type DownlinkTXInfo = MessageOf<typeof DownlinkTXInfo>;

export const DownlinkFrameItem = message('gw.DownlinkFrameItem', {
  phyPayload: [1, 'bytes'],
  txInfo: [2, DownlinkTXInfo],
});
export type DownlinkFrameItem = MessageOf<typeof DownlinkFrameItem>;

export const DownlinkFrame = message('gw.DownlinkFrame', {
  phyPayload: [1, 'bytes'],
  txInfo: [2, DownlinkTXInfo],
  token: [3, 'uint32'],
  downlinkID: [4, 'bytes'],
  items: [5, repeated(DownlinkFrameItem)],
  gatewayID: [6, 'bytes'],
});
export type DownlinkFrame = MessageOf<typeof DownlinkFrame>;

export const DownlinkTXAckItem = message('gw.DownlinkTXAckItem', {
  status: [1, TxAckStatus],
});
export type DownlinkTXAckItem = MessageOf<typeof DownlinkTXAckItem>;

export const DownlinkTXAck = message('gw.DownlinkTXAck', {
  gatewayID: [1, 'bytes'],
  token: [2, 'uint32'],
  error: [3, 'string'],
  downlinkID: [4, 'bytes'],
  items: [5, repeated(DownlinkTXAckItem)],
});
export type DownlinkTXAck = MessageOf<typeof DownlinkTXAck>;

export const EncryptedFineTimestamp = message('gw.EncryptedFineTimestamp', {
  aesKeyIndex: [1, 'uint32'],
  encryptedNS: [2, 'bytes'],
  fpgaID: [3, 'bytes'],
});
export type EncryptedFineTimestamp = MessageOf<typeof EncryptedFineTimestamp>;

export const GatewayCommandExecRequest = message('gw.GatewayCommandExecRequest', {
  gatewayID: [1, 'bytes'],
  command: [2, 'string'],
  execID: [3, 'bytes', { proto: 'ExecId' }],
  stdin: [4, 'bytes'],
  environment: [5, map('string', 'string')],
});
export type GatewayCommandExecRequest = MessageOf<typeof GatewayCommandExecRequest>;

export const GatewayCommandExecResponse = message('gw.GatewayCommandExecResponse', {
  gatewayID: [1, 'bytes'],
  execID: [2, 'bytes'],
  stdout: [3, 'bytes'],
  stderr: [4, 'bytes'],
  error: [5, 'string'],
});
export type GatewayCommandExecResponse = MessageOf<typeof GatewayCommandExecResponse>;

export const GatewayConfiguration = message('gw.GatewayConfiguration', {
  gatewayID: [1, 'bytes'],
  version: [2, 'string'],
  channels: [3, repeated(ChannelConfiguration)],
  statsInterval: [4, 'duration'],
});
export type GatewayConfiguration = MessageOf<typeof GatewayConfiguration>;

export const LRFHSSModulationInfo = message('gw.LRFHSSModulationInfo', {
  operatingChannelWidth: [1, 'uint32'],
  codeRate: [2, 'string'],
  gridSteps: [3, 'uint32'],
});
export type LRFHSSModulationInfo = MessageOf<typeof LRFHSSModulationInfo>;

export const Modulation = message('gw.Modulation', {
  loRa: [3, LoRaModulationInfo, { oneof: 'parameters', proto: 'lora' }],
  fsk: [4, FSKModulationInfo, { oneof: 'parameters' }],
  lrFHSS: [5, LRFHSSModulationInfo, { oneof: 'parameters' }],
});
export type Modulation = MessageOf<typeof Modulation>;

export const PerModulationCount = message('gw.PerModulationCount', {
  modulation: [1, Modulation],
  count: [2, 'uint32'],
});
export type PerModulationCount = MessageOf<typeof PerModulationCount>;

export const GatewayStats = message('gw.GatewayStats', {
  gatewayID: [1, 'bytes'],
  ip: [9, 'string'],
  time: [2, 'timestamp'],
  location: [3, common.Location],
  configVersion: [4, 'string'],
  rxPacketsReceived: [5, 'uint32'],
  rxPacketsReceivedOK: [6, 'uint32'],
  txPacketsReceived: [7, 'uint32'],
  txPacketsEmitted: [8, 'uint32'],
  metaData: [10, map('string', 'string')],
  statsID: [11, 'bytes'],
  txPacketsPerFrequency: [12, map('uint32', 'uint32')],
  rxPacketsPerFrequency: [13, map('uint32', 'uint32')],
  txPacketsPerModulation: [14, repeated(PerModulationCount)],
  rxPacketsPerModulation: [15, repeated(PerModulationCount)],
  txPacketsPerStatus: [16, map('string', 'uint32')],
});
export type GatewayStats = MessageOf<typeof GatewayStats>;

export const PlainFineTimestamp = message('gw.PlainFineTimestamp', {
  time: [1, 'timestamp'],
});
export type PlainFineTimestamp = MessageOf<typeof PlainFineTimestamp>;

export const RawPacketForwarderCommand = message('gw.RawPacketForwarderCommand', {
  gatewayID: [1, 'bytes'],
  rawID: [2, 'bytes'],
  payload: [3, 'bytes'],
});
export type RawPacketForwarderCommand = MessageOf<typeof RawPacketForwarderCommand>;

export const RawPacketForwarderEvent = message('gw.RawPacketForwarderEvent', {
  gatewayID: [1, 'bytes'],
  rawID: [2, 'bytes'],
  payload: [3, 'bytes'],
});
export type RawPacketForwarderEvent = MessageOf<typeof RawPacketForwarderEvent>;

export const UplinkTXInfo = message('gw.UplinkTXInfo', {
  frequency: [1, 'uint32'],
  modulation: [2, common.Modulation],
  loRaModulationInfo: [3, LoRaModulationInfo, { oneof: 'modulation_info', proto: 'lora_modulation_info' }],
  fskModulationInfo: [4, FSKModulationInfo, { oneof: 'modulation_info' }],
  lrFHSSModulationInfo: [5, LRFHSSModulationInfo, { oneof: 'modulation_info' }],
});
export type UplinkTXInfo = MessageOf<typeof UplinkTXInfo>;

export const UplinkRXInfo = message('gw.UplinkRXInfo', {
  gatewayID: [1, 'bytes'],
  time: [2, 'timestamp'],
  timeSinceGPSEpoch: [3, 'duration'],
  rssi: [5, 'int32'],
  loRaSNR: [6, 'double', { proto: 'lora_snr' }],
  channel: [7, 'uint32'],
  rfChain: [8, 'uint32'],
  board: [9, 'uint32'],
  antenna: [10, 'uint32'],
  location: [11, common.Location],
  fineTimestampType: [12, FineTimestampType],
  encryptedFineTimestamp: [13, EncryptedFineTimestamp, { oneof: 'fine_timestamp' }],
  plainFineTimestamp: [14, PlainFineTimestamp, { oneof: 'fine_timestamp' }],
  context: [15, 'bytes'],
  uplinkID: [16, 'bytes'],
  crcStatus: [17, CRCStatus],
});
export type UplinkRXInfo = MessageOf<typeof UplinkRXInfo>;

export const UplinkFrame = message('gw.UplinkFrame', {
  phyPayload: [1, 'bytes'],
  txInfo: [2, UplinkTXInfo],
  rxInfo: [3, UplinkRXInfo],
});
export type UplinkFrame = MessageOf<typeof UplinkFrame>;

export const UplinkFrameSet = message('gw.UplinkFrameSet', {
  phyPayload: [1, 'bytes'],
  txInfo: [2, UplinkTXInfo],
  rxInfo: [3, repeated(UplinkRXInfo)],
});
export type UplinkFrameSet = MessageOf<typeof UplinkFrameSet>;
