/** Events as integrations and live views receive them. */
import type { EnumOf } from '../enumeration.ts';
import { enumeration } from '../enumeration.ts';
import type { MessageOf } from '../message.ts';
import { map, message, repeated } from '../message.ts';
import * as common from './common.ts';
import * as gw from './gw.ts';

export const ErrorType = enumeration('integration.ErrorType', {
  UNKNOWN: 0,
  DOWNLINK_PAYLOAD_SIZE: 1,
  DOWNLINK_FCNT: 2,
  UPLINK_CODEC: 3,
  DOWNLINK_CODEC: 4,
  OTAA: 5,
  UPLINK_FCNT_RESET: 6,
  UPLINK_MIC: 7,
  UPLINK_FCNT_RETRANSMISSION: 8,
  DOWNLINK_GATEWAY: 9,
});
export type ErrorType = EnumOf<typeof ErrorType>;

export const AckEvent = message('integration.AckEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  acknowledged: [5, 'bool'],
  fCnt: [6, 'uint32'],
  tags: [7, map('string', 'string')],
  publishedAt: [8, 'timestamp'],
});
export type AckEvent = MessageOf<typeof AckEvent>;

export const ErrorEvent = message('integration.ErrorEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  type: [5, ErrorType],
  error: [6, 'string'],
  fCnt: [7, 'uint32'],
  tags: [8, map('string', 'string')],
  publishedAt: [9, 'timestamp'],
});
export type ErrorEvent = MessageOf<typeof ErrorEvent>;

export const IntegrationEvent = message('integration.IntegrationEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  tags: [5, map('string', 'string')],
  integrationName: [6, 'string'],
  eventType: [7, 'string'],
  objectJSON: [8, 'string'],
  publishedAt: [9, 'timestamp'],
});
export type IntegrationEvent = MessageOf<typeof IntegrationEvent>;

export const JoinEvent = message('integration.JoinEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  devAddr: [5, 'bytes'],
  rxInfo: [6, repeated(gw.UplinkRXInfo)],
  txInfo: [7, gw.UplinkTXInfo],
  dr: [8, 'uint32'],
  tags: [9, map('string', 'string')],
  publishedAt: [10, 'timestamp'],
});
export type JoinEvent = MessageOf<typeof JoinEvent>;

export const LocationEvent = message('integration.LocationEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  location: [5, common.Location],
  tags: [6, map('string', 'string')],
  uplinkIDs: [7, repeated('bytes'), { proto: 'uplink_ids' }],
  fCnt: [8, 'uint32'],
  publishedAt: [9, 'timestamp'],
});
export type LocationEvent = MessageOf<typeof LocationEvent>;

export const StatusEvent = message('integration.StatusEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  margin: [5, 'int32'],
  externalPowerSource: [6, 'bool'],
  batteryLevelUnavailable: [7, 'bool'],
  batteryLevel: [8, 'float'],
  tags: [9, map('string', 'string')],
  publishedAt: [10, 'timestamp'],
});
export type StatusEvent = MessageOf<typeof StatusEvent>;

export const TxAckEvent = message('integration.TxAckEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  fCnt: [5, 'uint32'],
  tags: [6, map('string', 'string')],
  gatewayID: [7, 'bytes'],
  txInfo: [8, gw.DownlinkTXInfo],
  publishedAt: [9, 'timestamp'],
});
export type TxAckEvent = MessageOf<typeof TxAckEvent>;

export const UplinkEvent = message('integration.UplinkEvent', {
  applicationID: [1, 'uint64'],
  applicationName: [2, 'string'],
  deviceName: [3, 'string'],
  devEUI: [4, 'bytes'],
  rxInfo: [5, repeated(gw.UplinkRXInfo)],
  txInfo: [6, gw.UplinkTXInfo],
  adr: [7, 'bool'],
  dr: [8, 'uint32'],
  fCnt: [9, 'uint32'],
  fPort: [10, 'uint32'],
  data: [11, 'bytes'],
  objectJSON: [12, 'string'],
  tags: [13, map('string', 'string')],
  confirmedUplink: [14, 'bool'],
  devAddr: [15, 'bytes'],
  publishedAt: [16, 'timestamp'],
  deviceProfileID: [17, 'string'],
  deviceProfileName: [18, 'string'],
});
export type UplinkEvent = MessageOf<typeof UplinkEvent>;
