/** The messages of ChirpStack Gateway Bridge and MQTT Forwarder, version 4. Those of version 3 are `gw` itself. */
import { common, enumeration, gw, type MessageOf, map, message, repeated } from '@hilltop/protobuf';

export const CodeRate = enumeration('gw4.CodeRate', {
  CR_UNDEFINED: 0,
  CR_4_5: 1,
  CR_4_6: 2,
  CR_4_7: 3,
  CR_4_8: 4,
  CR_3_8: 5,
  CR_2_6: 6,
  CR_1_4: 7,
  CR_1_6: 8,
  CR_5_6: 9,
  CR_LI_4_5: 10,
  CR_LI_4_6: 11,
  CR_LI_4_8: 12,
});

const TxAckStatus = enumeration('gw4.TxAckStatus', { ...gw.TxAckStatus.numbers, DUTY_CYCLE_OVERFLOW: 11 });

const LoraModulationInfo = message('gw4.LoraModulationInfo', {
  /** Hz. */
  bandwidth: [1, 'uint32'],
  spreadingFactor: [2, 'uint32'],
  codeRate: [5, CodeRate],
  polarizationInversion: [4, 'bool'],
  preamble: [6, 'uint32'],
  noCrc: [7, 'bool'],
});

const LrFhssModulationInfo = message('gw4.LrFhssModulationInfo', {
  operatingChannelWidth: [1, 'uint32'],
  codeRate: [4, CodeRate],
  gridSteps: [3, 'uint32'],
});

export const Modulation = message('gw4.Modulation', {
  lora: [3, LoraModulationInfo, { oneof: 'parameters' }],
  fsk: [4, gw.FSKModulationInfo, { oneof: 'parameters' }],
  lrFhss: [5, LrFhssModulationInfo, { oneof: 'parameters' }],
});

const UplinkTxInfo = message('gw4.UplinkTxInfo', {
  frequency: [1, 'uint32'],
  modulation: [2, Modulation],
});

/** A duration in nanoseconds, which a number of milliseconds since 1980 cannot express. */
const ExactDuration = message('gw4.ExactDuration', { seconds: [1, 'int64'], nanos: [2, 'int32'] });

/** The accuracy has another type than in version 3, and is not used. */
const Location = message('gw4.Location', {
  latitude: [1, 'double'],
  longitude: [2, 'double'],
  altitude: [3, 'double'],
  source: [4, common.LocationSource],
});

const UplinkRxInfo = message('gw4.UplinkRxInfo', {
  gatewayId: [1, 'string'],
  uplinkId: [2, 'uint32'],
  gwTime: [3, 'timestamp'],
  timeSinceGpsEpoch: [4, 'duration'],
  fineTimeSinceGpsEpoch: [5, ExactDuration],
  rssi: [6, 'int32'],
  snr: [7, 'float'],
  channel: [8, 'uint32'],
  rfChain: [9, 'uint32'],
  board: [10, 'uint32'],
  antenna: [11, 'uint32'],
  location: [12, Location],
  context: [13, 'bytes'],
  crcStatus: [16, gw.CRCStatus],
});

export const UplinkFrame = message('gw4.UplinkFrame', {
  phyPayload: [1, 'bytes'],
  txInfo: [4, UplinkTxInfo],
  rxInfo: [5, UplinkRxInfo],
});

export const GatewayStats = message('gw4.GatewayStats', {
  gatewayId: [17, 'string'],
  time: [2, 'timestamp'],
  location: [3, Location],
  configVersion: [4, 'string'],
  rxPacketsReceived: [5, 'uint32'],
  rxPacketsReceivedOk: [6, 'uint32'],
  txPacketsReceived: [7, 'uint32'],
  txPacketsEmitted: [8, 'uint32'],
  metadata: [10, map('string', 'string')],
});

const GPSEpochTimingInfo = message('gw4.GPSEpochTimingInfo', { timeSinceGpsEpoch: [1, 'duration'] });

const Timing = message('gw4.Timing', {
  immediately: [1, gw.ImmediatelyTimingInfo, { oneof: 'parameters' }],
  delay: [2, gw.DelayTimingInfo, { oneof: 'parameters' }],
  gpsEpoch: [3, GPSEpochTimingInfo, { oneof: 'parameters' }],
});

const DownlinkTxInfo = message('gw4.DownlinkTxInfo', {
  frequency: [1, 'uint32'],
  power: [2, 'int32'],
  modulation: [3, Modulation],
  board: [4, 'uint32'],
  antenna: [5, 'uint32'],
  timing: [6, Timing],
  context: [7, 'bytes'],
});

const DownlinkFrameItem = message('gw4.DownlinkFrameItem', {
  phyPayload: [1, 'bytes'],
  txInfo: [3, DownlinkTxInfo],
});

export const DownlinkFrame = message('gw4.DownlinkFrame', {
  downlinkId: [3, 'uint32'],
  items: [5, repeated(DownlinkFrameItem)],
  gatewayId: [7, 'string'],
});

const DownlinkTxAckItem = message('gw4.DownlinkTxAckItem', { status: [1, TxAckStatus] });

export const DownlinkTxAck = message('gw4.DownlinkTxAck', {
  gatewayId: [6, 'string'],
  downlinkId: [2, 'uint32'],
  items: [5, repeated(DownlinkTxAckItem)],
});

export const ConnState = message('gw4.ConnState', {
  gatewayId: [3, 'string'],
  state: [2, gw.ConnStateState],
});

const LoraModulationConfig = message('gw4.LoraModulationConfig', {
  /** kHz. */
  bandwidthLegacy: [1, 'uint32'],
  /** Hz. */
  bandwidth: [3, 'uint32'],
  spreadingFactors: [2, repeated('uint32')],
});

const FskModulationConfig = message('gw4.FskModulationConfig', {
  bandwidthLegacy: [1, 'uint32'],
  bandwidth: [3, 'uint32'],
  bitrate: [2, 'uint32'],
});

const ChannelConfiguration = message('gw4.ChannelConfiguration', {
  frequency: [1, 'uint32'],
  modulationLegacy: [2, common.Modulation],
  loraModulationConfig: [3, LoraModulationConfig, { oneof: 'modulation_config' }],
  fskModulationConfig: [4, FskModulationConfig, { oneof: 'modulation_config' }],
  board: [5, 'uint32'],
  demodulator: [6, 'uint32'],
});

export const GatewayConfiguration = message('gw4.GatewayConfiguration', {
  gatewayId: [5, 'string'],
  version: [2, 'string'],
  channels: [3, repeated(ChannelConfiguration)],
  statsInterval: [4, 'duration'],
});

export type Modulation = MessageOf<typeof Modulation>;
export type UplinkFrame = MessageOf<typeof UplinkFrame>;
export type GatewayStats = MessageOf<typeof GatewayStats>;
export type DownlinkFrame = MessageOf<typeof DownlinkFrame>;
export type DownlinkTxAck = MessageOf<typeof DownlinkTxAck>;
export type ConnState = MessageOf<typeof ConnState>;
export type GatewayConfiguration = MessageOf<typeof GatewayConfiguration>;
