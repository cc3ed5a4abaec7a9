/** The service of the application server, which network servers call. */
import type { EnumOf } from '../enumeration.ts';
import { enumeration } from '../enumeration.ts';
import type { MessageOf } from '../message.ts';
import { map, message, repeated } from '../message.ts';
import type { ServiceOf } from '../service.ts';
import { service } from '../service.ts';
import * as common from './common.ts';
import { Empty } from './google.ts';
import * as gw from './gw.ts';

export const ErrorType = enumeration('as.ErrorType', {
  GENERIC: 0,
  OTAA: 1,
  DATA_UP_FCNT_RESET: 2,
  DATA_UP_MIC: 3,
  DEVICE_QUEUE_ITEM_SIZE: 4,
  DEVICE_QUEUE_ITEM_FCNT: 5,
  DATA_UP_FCNT_RETRANSMISSION: 6,
  DATA_DOWN_GATEWAY: 7,
});
export type ErrorType = EnumOf<typeof ErrorType>;

export const RXWindow = enumeration('as.RXWindow', { RX1: 0, RX2: 1 });
export type RXWindow = EnumOf<typeof RXWindow>;

export const DeviceActivationContext = message('as.DeviceActivationContext', {
  devAddr: [1, 'bytes'],
  appSKey: [2, common.KeyEnvelope],
});
export type DeviceActivationContext = MessageOf<typeof DeviceActivationContext>;

export const HandleDownlinkACKRequest = message('as.HandleDownlinkACKRequest', {
  devEui: [1, 'bytes'],
  fCnt: [2, 'uint32'],
  acknowledged: [3, 'bool'],
});
export type HandleDownlinkACKRequest = MessageOf<typeof HandleDownlinkACKRequest>;

export const HandleErrorRequest = message('as.HandleErrorRequest', {
  devEui: [1, 'bytes'],
  type: [3, ErrorType],
  error: [4, 'string'],
  fCnt: [5, 'uint32'],
});
export type HandleErrorRequest = MessageOf<typeof HandleErrorRequest>;

export const HandleGatewayStatsRequest = message('as.HandleGatewayStatsRequest', {
  gatewayId: [1, 'bytes'],
  statsId: [2, 'bytes'],
  time: [3, 'timestamp'],
  location: [4, common.Location],
  rxPacketsReceived: [5, 'uint32'],
  rxPacketsReceivedOk: [6, 'uint32'],
  txPacketsReceived: [7, 'uint32'],
  txPacketsEmitted: [8, 'uint32'],
  metadata: [9, map('string', 'string')],
  txPacketsPerFrequency: [10, map('uint32', 'uint32')],
  rxPacketsPerFrequency: [11, map('uint32', 'uint32')],
  txPacketsPerDr: [12, map('uint32', 'uint32')],
  rxPacketsPerDr: [13, map('uint32', 'uint32')],
  txPacketsPerStatus: [14, map('string', 'uint32')],
});
export type HandleGatewayStatsRequest = MessageOf<typeof HandleGatewayStatsRequest>;

export const HandleProprietaryUplinkRequest = message('as.HandleProprietaryUplinkRequest', {
  macPayload: [1, 'bytes'],
  mic: [2, 'bytes'],
  txInfo: [3, gw.UplinkTXInfo],
  rxInfo: [4, repeated(gw.UplinkRXInfo)],
});
export type HandleProprietaryUplinkRequest = MessageOf<typeof HandleProprietaryUplinkRequest>;

export const HandleTxAckRequest = message('as.HandleTxAckRequest', {
  devEui: [1, 'bytes'],
  fCnt: [2, 'uint32'],
  gatewayId: [3, 'bytes'],
  txInfo: [4, gw.DownlinkTXInfo],
});
export type HandleTxAckRequest = MessageOf<typeof HandleTxAckRequest>;

export const HandleUplinkDataRequest = message('as.HandleUplinkDataRequest', {
  devEui: [1, 'bytes'],
  joinEui: [2, 'bytes'],
  fCnt: [3, 'uint32'],
  fPort: [4, 'uint32'],
  adr: [5, 'bool'],
  dr: [6, 'uint32'],
  txInfo: [7, gw.UplinkTXInfo],
  rxInfo: [8, repeated(gw.UplinkRXInfo)],
  data: [9, 'bytes'],
  deviceActivationContext: [10, DeviceActivationContext],
  confirmedUplink: [11, 'bool'],
});
export type HandleUplinkDataRequest = MessageOf<typeof HandleUplinkDataRequest>;

export const ReEncryptDeviceQueueItem = message('as.ReEncryptDeviceQueueItem', {
  frmPayload: [1, 'bytes'],
  fCnt: [2, 'uint32'],
  fPort: [3, 'uint32'],
  confirmed: [4, 'bool'],
});
export type ReEncryptDeviceQueueItem = MessageOf<typeof ReEncryptDeviceQueueItem>;

export const ReEncryptDeviceQueueItemsRequest = message('as.ReEncryptDeviceQueueItemsRequest', {
  devEui: [1, 'bytes'],
  devAddr: [2, 'bytes'],
  fCntStart: [3, 'uint32'],
  items: [4, repeated(ReEncryptDeviceQueueItem)],
});
export type ReEncryptDeviceQueueItemsRequest = MessageOf<typeof ReEncryptDeviceQueueItemsRequest>;

export const ReEncryptedDeviceQueueItem = message('as.ReEncryptedDeviceQueueItem', {
  frmPayload: [1, 'bytes'],
  fCnt: [2, 'uint32'],
  fPort: [3, 'uint32'],
  confirmed: [4, 'bool'],
});
export type ReEncryptedDeviceQueueItem = MessageOf<typeof ReEncryptedDeviceQueueItem>;

export const ReEncryptDeviceQueueItemsResponse = message('as.ReEncryptDeviceQueueItemsResponse', {
  items: [1, repeated(ReEncryptedDeviceQueueItem)],
});
export type ReEncryptDeviceQueueItemsResponse = MessageOf<typeof ReEncryptDeviceQueueItemsResponse>;

export const SetDeviceLocationRequest = message('as.SetDeviceLocationRequest', {
  devEui: [1, 'bytes'],
  location: [2, common.Location],
  uplinkIds: [3, repeated('bytes')],
});
export type SetDeviceLocationRequest = MessageOf<typeof SetDeviceLocationRequest>;

export const SetDeviceStatusRequest = message('as.SetDeviceStatusRequest', {
  devEui: [1, 'bytes'],
  battery: [2, 'uint32'],
  margin: [3, 'int32'],
  externalPowerSource: [4, 'bool'],
  batteryLevelUnavailable: [5, 'bool'],
  batteryLevel: [6, 'float'],
});
export type SetDeviceStatusRequest = MessageOf<typeof SetDeviceStatusRequest>;

export const ApplicationServerService = service('as.ApplicationServerService', {
  handleUplinkData: [HandleUplinkDataRequest, Empty],
  handleProprietaryUplink: [HandleProprietaryUplinkRequest, Empty],
  handleError: [HandleErrorRequest, Empty],
  handleDownlinkACK: [HandleDownlinkACKRequest, Empty],
  handleGatewayStats: [HandleGatewayStatsRequest, Empty],
  handleTxAck: [HandleTxAckRequest, Empty],
  setDeviceStatus: [SetDeviceStatusRequest, Empty],
  setDeviceLocation: [SetDeviceLocationRequest, Empty],
  reEncryptDeviceQueueItems: [ReEncryptDeviceQueueItemsRequest, ReEncryptDeviceQueueItemsResponse],
});
export type ApplicationServerService = ServiceOf<typeof ApplicationServerService>;
