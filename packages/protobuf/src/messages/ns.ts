/** The service of the network server, which the application server calls. */
import type { EnumOf } from '../enumeration.ts';
import { enumeration } from '../enumeration.ts';
import type { MessageOf } from '../message.ts';
import { message, repeated } from '../message.ts';
import type { ServiceOf } from '../service.ts';
import { service, stream } from '../service.ts';
import * as common from './common.ts';
import { Empty } from './google.ts';
import * as gw from './gw.ts';

export const AggregationInterval = enumeration('ns.AggregationInterval', {
  SECOND: 0,
  MINUTE: 1,
  HOUR: 2,
  DAY: 3,
  WEEK: 4,
  MONTH: 5,
  QUARTER: 6,
  YEAR: 7,
});
export type AggregationInterval = EnumOf<typeof AggregationInterval>;

export const MulticastGroupType = enumeration('ns.MulticastGroupType', { CLASS_C: 0, CLASS_B: 1 });
export type MulticastGroupType = EnumOf<typeof MulticastGroupType>;

export const RXWindow = enumeration('ns.RXWindow', { RX1: 0, RX2: 1 });
export type RXWindow = EnumOf<typeof RXWindow>;

export const RatePolicy = enumeration('ns.RatePolicy', { DROP: 0, MARK: 1 });
export type RatePolicy = EnumOf<typeof RatePolicy>;

export const ADRAlgorithm = message('ns.ADRAlgorithm', {
  id: [1, 'string'],
  name: [2, 'string'],
});
export type ADRAlgorithm = MessageOf<typeof ADRAlgorithm>;

export const DeviceActivation = message('ns.DeviceActivation', {
  devEui: [1, 'bytes'],
  devAddr: [2, 'bytes'],
  sNwkSIntKey: [3, 'bytes'],
  fNwkSIntKey: [4, 'bytes'],
  nwkSEncKey: [5, 'bytes'],
  fCntUp: [6, 'uint32'],
  nFCntDown: [7, 'uint32'],
  aFCntDown: [8, 'uint32'],
  skipFCntCheck: [9, 'bool'],
});
export type DeviceActivation = MessageOf<typeof DeviceActivation>;

export const ActivateDeviceRequest = message('ns.ActivateDeviceRequest', {
  deviceActivation: [1, DeviceActivation],
});
export type ActivateDeviceRequest = MessageOf<typeof ActivateDeviceRequest>;

export const AddDeviceToMulticastGroupRequest = message('ns.AddDeviceToMulticastGroupRequest', {
  devEui: [1, 'bytes'],
  multicastGroupId: [2, 'bytes'],
});
export type AddDeviceToMulticastGroupRequest = MessageOf<typeof AddDeviceToMulticastGroupRequest>;

export const ClearDeviceNoncesRequest = message('ns.ClearDeviceNoncesRequest', {
  devEui: [1, 'bytes'],
});
export type ClearDeviceNoncesRequest = MessageOf<typeof ClearDeviceNoncesRequest>;

export const DeviceProfile = message('ns.DeviceProfile', {
  id: [1, 'bytes'],
  supportsClassB: [2, 'bool'],
  classBTimeout: [3, 'uint32'],
  pingSlotPeriod: [4, 'uint32'],
  pingSlotDr: [5, 'uint32'],
  pingSlotFreq: [6, 'uint32'],
  supportsClassC: [7, 'bool'],
  classCTimeout: [8, 'uint32'],
  macVersion: [9, 'string'],
  regParamsRevision: [10, 'string'],
  rxDelay1: [11, 'uint32'],
  rxDrOffset1: [12, 'uint32'],
  rxDatarate2: [13, 'uint32'],
  rxFreq2: [14, 'uint32'],
  factoryPresetFreqs: [15, repeated('uint32')],
  maxEirp: [16, 'uint32'],
  maxDutyCycle: [17, 'uint32'],
  supportsJoin: [18, 'bool'],
  rfRegion: [19, 'string'],
  supports32bitFCnt: [20, 'bool'],
  adrAlgorithmId: [21, 'string'],
});
export type DeviceProfile = MessageOf<typeof DeviceProfile>;

export const CreateDeviceProfileRequest = message('ns.CreateDeviceProfileRequest', {
  deviceProfile: [1, DeviceProfile],
});
export type CreateDeviceProfileRequest = MessageOf<typeof CreateDeviceProfileRequest>;

export const CreateDeviceProfileResponse = message('ns.CreateDeviceProfileResponse', {
  id: [1, 'bytes'],
});
export type CreateDeviceProfileResponse = MessageOf<typeof CreateDeviceProfileResponse>;

export const DeviceQueueItem = message('ns.DeviceQueueItem', {
  devEui: [1, 'bytes'],
  frmPayload: [2, 'bytes'],
  fCnt: [3, 'uint32'],
  fPort: [4, 'uint32'],
  confirmed: [5, 'bool'],
  devAddr: [6, 'bytes'],
});
export type DeviceQueueItem = MessageOf<typeof DeviceQueueItem>;

export const CreateDeviceQueueItemRequest = message('ns.CreateDeviceQueueItemRequest', {
  item: [1, DeviceQueueItem],
});
export type CreateDeviceQueueItemRequest = MessageOf<typeof CreateDeviceQueueItemRequest>;

export const Device = message('ns.Device', {
  devEui: [1, 'bytes'],
  deviceProfileId: [2, 'bytes'],
  serviceProfileId: [3, 'bytes'],
  routingProfileId: [4, 'bytes'],
  skipFCntCheck: [5, 'bool'],
  referenceAltitude: [6, 'double'],
  isDisabled: [7, 'bool'],
});
export type Device = MessageOf<typeof Device>;

export const CreateDeviceRequest = message('ns.CreateDeviceRequest', {
  device: [1, Device],
});
export type CreateDeviceRequest = MessageOf<typeof CreateDeviceRequest>;

export const GatewayProfileExtraChannel = message('ns.GatewayProfileExtraChannel', {
  modulation: [1, common.Modulation],
  frequency: [2, 'uint32'],
  bandwidth: [3, 'uint32'],
  bitrate: [4, 'uint32'],
  spreadingFactors: [5, repeated('uint32')],
});
export type GatewayProfileExtraChannel = MessageOf<typeof GatewayProfileExtraChannel>;

export const GatewayProfile = message('ns.GatewayProfile', {
  id: [1, 'bytes'],
  channels: [2, repeated('uint32')],
  extraChannels: [3, repeated(GatewayProfileExtraChannel)],
  statsInterval: [4, 'duration'],
});
export type GatewayProfile = MessageOf<typeof GatewayProfile>;

export const CreateGatewayProfileRequest = message('ns.CreateGatewayProfileRequest', {
  gatewayProfile: [1, GatewayProfile],
});
export type CreateGatewayProfileRequest = MessageOf<typeof CreateGatewayProfileRequest>;

export const CreateGatewayProfileResponse = message('ns.CreateGatewayProfileResponse', {
  id: [1, 'bytes'],
});
export type CreateGatewayProfileResponse = MessageOf<typeof CreateGatewayProfileResponse>;

export const GatewayBoard = message('ns.GatewayBoard', {
  fpgaId: [1, 'bytes'],
  fineTimestampKey: [2, 'bytes'],
});
export type GatewayBoard = MessageOf<typeof GatewayBoard>;

export const Gateway = message('ns.Gateway', {
  id: [1, 'bytes'],
  location: [2, common.Location],
  gatewayProfileId: [3, 'bytes'],
  boards: [4, repeated(GatewayBoard)],
  routingProfileId: [5, 'bytes'],
  serviceProfileId: [6, 'bytes'],
});
export type Gateway = MessageOf<typeof Gateway>;

export const CreateGatewayRequest = message('ns.CreateGatewayRequest', {
  gateway: [1, Gateway],
});
export type CreateGatewayRequest = MessageOf<typeof CreateGatewayRequest>;

export const CreateMACCommandQueueItemRequest = message('ns.CreateMACCommandQueueItemRequest', {
  devEui: [1, 'bytes'],
  cid: [4, 'uint32'],
  commands: [5, repeated('bytes')],
});
export type CreateMACCommandQueueItemRequest = MessageOf<typeof CreateMACCommandQueueItemRequest>;

export const MulticastGroup = message('ns.MulticastGroup', {
  id: [1, 'bytes'],
  mcAddr: [2, 'bytes'],
  mcNwkSKey: [3, 'bytes'],
  fCnt: [4, 'uint32'],
  groupType: [5, MulticastGroupType],
  dr: [6, 'uint32'],
  frequency: [7, 'uint32'],
  pingSlotPeriod: [8, 'uint32'],
  serviceProfileId: [9, 'bytes'],
  routingProfileId: [10, 'bytes'],
});
export type MulticastGroup = MessageOf<typeof MulticastGroup>;

export const CreateMulticastGroupRequest = message('ns.CreateMulticastGroupRequest', {
  multicastGroup: [1, MulticastGroup],
});
export type CreateMulticastGroupRequest = MessageOf<typeof CreateMulticastGroupRequest>;

export const CreateMulticastGroupResponse = message('ns.CreateMulticastGroupResponse', {
  id: [1, 'bytes'],
});
export type CreateMulticastGroupResponse = MessageOf<typeof CreateMulticastGroupResponse>;

export const RoutingProfile = message('ns.RoutingProfile', {
  id: [1, 'bytes'],
  asId: [2, 'string'],
  caCert: [3, 'string'],
  tlsCert: [4, 'string'],
  tlsKey: [5, 'string'],
});
export type RoutingProfile = MessageOf<typeof RoutingProfile>;

export const CreateRoutingProfileRequest = message('ns.CreateRoutingProfileRequest', {
  routingProfile: [1, RoutingProfile],
});
export type CreateRoutingProfileRequest = MessageOf<typeof CreateRoutingProfileRequest>;

export const CreateRoutingProfileResponse = message('ns.CreateRoutingProfileResponse', {
  id: [1, 'bytes'],
});
export type CreateRoutingProfileResponse = MessageOf<typeof CreateRoutingProfileResponse>;

export const ServiceProfile = message('ns.ServiceProfile', {
  id: [1, 'bytes'],
  ulRate: [2, 'uint32'],
  ulBucketSize: [3, 'uint32'],
  ulRatePolicy: [4, RatePolicy],
  dlRate: [5, 'uint32'],
  dlBucketSize: [6, 'uint32'],
  dlRatePolicy: [7, RatePolicy],
  addGwMetadata: [8, 'bool'],
  devStatusReqFreq: [9, 'uint32'],
  reportDevStatusBattery: [10, 'bool'],
  reportDevStatusMargin: [11, 'bool'],
  drMin: [12, 'uint32'],
  drMax: [13, 'uint32'],
  channelMask: [14, 'bytes'],
  prAllowed: [15, 'bool'],
  hrAllowed: [16, 'bool'],
  raAllowed: [17, 'bool'],
  nwkGeoLoc: [18, 'bool'],
  targetPer: [19, 'uint32'],
  minGwDiversity: [20, 'uint32'],
  gwsPrivate: [21, 'bool'],
});
export type ServiceProfile = MessageOf<typeof ServiceProfile>;

export const CreateServiceProfileRequest = message('ns.CreateServiceProfileRequest', {
  serviceProfile: [1, ServiceProfile],
});
export type CreateServiceProfileRequest = MessageOf<typeof CreateServiceProfileRequest>;

export const CreateServiceProfileResponse = message('ns.CreateServiceProfileResponse', {
  id: [1, 'bytes'],
});
export type CreateServiceProfileResponse = MessageOf<typeof CreateServiceProfileResponse>;

export const DeactivateDeviceRequest = message('ns.DeactivateDeviceRequest', {
  devEui: [1, 'bytes'],
});
export type DeactivateDeviceRequest = MessageOf<typeof DeactivateDeviceRequest>;

export const DeleteDeviceProfileRequest = message('ns.DeleteDeviceProfileRequest', {
  id: [1, 'bytes'],
});
export type DeleteDeviceProfileRequest = MessageOf<typeof DeleteDeviceProfileRequest>;

export const DeleteDeviceRequest = message('ns.DeleteDeviceRequest', {
  devEui: [1, 'bytes'],
});
export type DeleteDeviceRequest = MessageOf<typeof DeleteDeviceRequest>;

export const DeleteGatewayProfileRequest = message('ns.DeleteGatewayProfileRequest', {
  id: [1, 'bytes'],
});
export type DeleteGatewayProfileRequest = MessageOf<typeof DeleteGatewayProfileRequest>;

export const DeleteGatewayRequest = message('ns.DeleteGatewayRequest', {
  id: [1, 'bytes'],
});
export type DeleteGatewayRequest = MessageOf<typeof DeleteGatewayRequest>;

export const DeleteMulticastGroupRequest = message('ns.DeleteMulticastGroupRequest', {
  id: [1, 'bytes'],
});
export type DeleteMulticastGroupRequest = MessageOf<typeof DeleteMulticastGroupRequest>;

export const DeleteRoutingProfileRequest = message('ns.DeleteRoutingProfileRequest', {
  id: [1, 'bytes'],
});
export type DeleteRoutingProfileRequest = MessageOf<typeof DeleteRoutingProfileRequest>;

export const DeleteServiceProfileRequest = message('ns.DeleteServiceProfileRequest', {
  id: [1, 'bytes'],
});
export type DeleteServiceProfileRequest = MessageOf<typeof DeleteServiceProfileRequest>;

export const DownlinkFrameLog = message('ns.DownlinkFrameLog', {
  phyPayload: [1, 'bytes'],
  txInfo: [2, gw.DownlinkTXInfo],
  token: [3, 'uint32'],
  downlinkID: [4, 'bytes'],
  gatewayID: [5, 'bytes'],
  mType: [6, common.MType],
  devAddr: [7, 'bytes'],
  devEui: [8, 'bytes'],
  publishedAt: [9, 'timestamp'],
});
export type DownlinkFrameLog = MessageOf<typeof DownlinkFrameLog>;

export const MulticastQueueItem = message('ns.MulticastQueueItem', {
  multicastGroupId: [1, 'bytes'],
  fCnt: [2, 'uint32'],
  fPort: [3, 'uint32'],
  frmPayload: [4, 'bytes'],
});
export type MulticastQueueItem = MessageOf<typeof MulticastQueueItem>;

export const EnqueueMulticastQueueItemRequest = message('ns.EnqueueMulticastQueueItemRequest', {
  multicastQueueItem: [1, MulticastQueueItem],
});
export type EnqueueMulticastQueueItemRequest = MessageOf<typeof EnqueueMulticastQueueItemRequest>;

export const FlushDeviceQueueForDevEUIRequest = message('ns.FlushDeviceQueueForDevEUIRequest', {
  devEui: [1, 'bytes'],
});
export type FlushDeviceQueueForDevEUIRequest = MessageOf<typeof FlushDeviceQueueForDevEUIRequest>;

export const FlushMulticastQueueForMulticastGroupRequest = message('ns.FlushMulticastQueueForMulticastGroupRequest', {
  multicastGroupId: [1, 'bytes'],
});
export type FlushMulticastQueueForMulticastGroupRequest = MessageOf<typeof FlushMulticastQueueForMulticastGroupRequest>;

export const GatewayStats = message('ns.GatewayStats', {
  timestamp: [1, 'timestamp'],
  rxPacketsReceived: [2, 'int32'],
  rxPacketsReceivedOk: [3, 'int32'],
  txPacketsReceived: [4, 'int32'],
  txPacketsEmitted: [5, 'int32'],
});
export type GatewayStats = MessageOf<typeof GatewayStats>;

export const GenerateGatewayClientCertificateRequest = message('ns.GenerateGatewayClientCertificateRequest', {
  id: [1, 'bytes'],
});
export type GenerateGatewayClientCertificateRequest = MessageOf<typeof GenerateGatewayClientCertificateRequest>;

export const GenerateGatewayClientCertificateResponse = message('ns.GenerateGatewayClientCertificateResponse', {
  tlsCert: [1, 'bytes'],
  tlsKey: [2, 'bytes'],
  caCert: [3, 'bytes'],
  expiresAt: [4, 'timestamp'],
});
export type GenerateGatewayClientCertificateResponse = MessageOf<typeof GenerateGatewayClientCertificateResponse>;

export const GetADRAlgorithmsResponse = message('ns.GetADRAlgorithmsResponse', {
  adrAlgorithms: [1, repeated(ADRAlgorithm)],
});
export type GetADRAlgorithmsResponse = MessageOf<typeof GetADRAlgorithmsResponse>;

export const GetDeviceActivationRequest = message('ns.GetDeviceActivationRequest', {
  devEui: [1, 'bytes'],
});
export type GetDeviceActivationRequest = MessageOf<typeof GetDeviceActivationRequest>;

export const GetDeviceActivationResponse = message('ns.GetDeviceActivationResponse', {
  deviceActivation: [1, DeviceActivation],
});
export type GetDeviceActivationResponse = MessageOf<typeof GetDeviceActivationResponse>;

export const GetDeviceProfileRequest = message('ns.GetDeviceProfileRequest', {
  id: [1, 'bytes'],
});
export type GetDeviceProfileRequest = MessageOf<typeof GetDeviceProfileRequest>;

export const GetDeviceProfileResponse = message('ns.GetDeviceProfileResponse', {
  deviceProfile: [1, DeviceProfile],
  createdAt: [2, 'timestamp'],
  updatedAt: [3, 'timestamp'],
});
export type GetDeviceProfileResponse = MessageOf<typeof GetDeviceProfileResponse>;

export const GetDeviceQueueItemsForDevEUIRequest = message('ns.GetDeviceQueueItemsForDevEUIRequest', {
  devEui: [1, 'bytes'],
  countOnly: [2, 'bool'],
});
export type GetDeviceQueueItemsForDevEUIRequest = MessageOf<typeof GetDeviceQueueItemsForDevEUIRequest>;

export const GetDeviceQueueItemsForDevEUIResponse = message('ns.GetDeviceQueueItemsForDevEUIResponse', {
  items: [1, repeated(DeviceQueueItem)],
  totalCount: [2, 'uint32'],
});
export type GetDeviceQueueItemsForDevEUIResponse = MessageOf<typeof GetDeviceQueueItemsForDevEUIResponse>;

export const GetDeviceRequest = message('ns.GetDeviceRequest', {
  devEui: [1, 'bytes'],
});
export type GetDeviceRequest = MessageOf<typeof GetDeviceRequest>;

export const GetDeviceResponse = message('ns.GetDeviceResponse', {
  device: [1, Device],
  createdAt: [2, 'timestamp'],
  updatedAt: [3, 'timestamp'],
});
export type GetDeviceResponse = MessageOf<typeof GetDeviceResponse>;

export const GetGatewayProfileRequest = message('ns.GetGatewayProfileRequest', {
  id: [1, 'bytes'],
});
export type GetGatewayProfileRequest = MessageOf<typeof GetGatewayProfileRequest>;

export const GetGatewayProfileResponse = message('ns.GetGatewayProfileResponse', {
  gatewayProfile: [1, GatewayProfile],
  createdAt: [2, 'timestamp'],
  updatedAt: [3, 'timestamp'],
});
export type GetGatewayProfileResponse = MessageOf<typeof GetGatewayProfileResponse>;

export const GetGatewayRequest = message('ns.GetGatewayRequest', {
  id: [1, 'bytes'],
});
export type GetGatewayRequest = MessageOf<typeof GetGatewayRequest>;

export const GetGatewayResponse = message('ns.GetGatewayResponse', {
  gateway: [1, Gateway],
  createdAt: [2, 'timestamp'],
  updatedAt: [3, 'timestamp'],
  firstSeenAt: [4, 'timestamp'],
  lastSeenAt: [5, 'timestamp'],
});
export type GetGatewayResponse = MessageOf<typeof GetGatewayResponse>;

export const GetGatewayStatsRequest = message('ns.GetGatewayStatsRequest', {
  gatewayId: [1, 'bytes'],
  interval: [2, AggregationInterval],
  startTimestamp: [3, 'timestamp'],
  endTimestamp: [4, 'timestamp'],
});
export type GetGatewayStatsRequest = MessageOf<typeof GetGatewayStatsRequest>;

export const GetGatewayStatsResponse = message('ns.GetGatewayStatsResponse', {
  result: [1, repeated(GatewayStats)],
});
export type GetGatewayStatsResponse = MessageOf<typeof GetGatewayStatsResponse>;

export const GetMulticastGroupRequest = message('ns.GetMulticastGroupRequest', {
  id: [1, 'bytes'],
});
export type GetMulticastGroupRequest = MessageOf<typeof GetMulticastGroupRequest>;

export const GetMulticastGroupResponse = message('ns.GetMulticastGroupResponse', {
  multicastGroup: [1, MulticastGroup],
  createdAt: [2, 'timestamp'],
  updatedAt: [3, 'timestamp'],
});
export type GetMulticastGroupResponse = MessageOf<typeof GetMulticastGroupResponse>;

export const GetMulticastQueueItemsForMulticastGroupRequest = message(
  'ns.GetMulticastQueueItemsForMulticastGroupRequest',
  {
    multicastGroupId: [1, 'bytes'],
  },
);
export type GetMulticastQueueItemsForMulticastGroupRequest = MessageOf<
  typeof GetMulticastQueueItemsForMulticastGroupRequest
>;

export const GetMulticastQueueItemsForMulticastGroupResponse = message(
  'ns.GetMulticastQueueItemsForMulticastGroupResponse',
  {
    multicastQueueItems: [1, repeated(MulticastQueueItem)],
  },
);
export type GetMulticastQueueItemsForMulticastGroupResponse = MessageOf<
  typeof GetMulticastQueueItemsForMulticastGroupResponse
>;

export const GetNextDownlinkFCntForDevEUIRequest = message('ns.GetNextDownlinkFCntForDevEUIRequest', {
  devEui: [1, 'bytes'],
});
export type GetNextDownlinkFCntForDevEUIRequest = MessageOf<typeof GetNextDownlinkFCntForDevEUIRequest>;

export const GetNextDownlinkFCntForDevEUIResponse = message('ns.GetNextDownlinkFCntForDevEUIResponse', {
  fCnt: [1, 'uint32'],
});
export type GetNextDownlinkFCntForDevEUIResponse = MessageOf<typeof GetNextDownlinkFCntForDevEUIResponse>;

export const GetRandomDevAddrResponse = message('ns.GetRandomDevAddrResponse', {
  devAddr: [1, 'bytes'],
});
export type GetRandomDevAddrResponse = MessageOf<typeof GetRandomDevAddrResponse>;

export const GetRoutingProfileRequest = message('ns.GetRoutingProfileRequest', {
  id: [1, 'bytes'],
});
export type GetRoutingProfileRequest = MessageOf<typeof GetRoutingProfileRequest>;

export const GetRoutingProfileResponse = message('ns.GetRoutingProfileResponse', {
  routingProfile: [1, RoutingProfile],
  createdAt: [2, 'timestamp'],
  updatedAt: [3, 'timestamp'],
});
export type GetRoutingProfileResponse = MessageOf<typeof GetRoutingProfileResponse>;

export const GetServiceProfileRequest = message('ns.GetServiceProfileRequest', {
  id: [1, 'bytes'],
});
export type GetServiceProfileRequest = MessageOf<typeof GetServiceProfileRequest>;

export const GetServiceProfileResponse = message('ns.GetServiceProfileResponse', {
  serviceProfile: [1, ServiceProfile],
  createdAt: [2, 'timestamp'],
  updatedAt: [3, 'timestamp'],
});
export type GetServiceProfileResponse = MessageOf<typeof GetServiceProfileResponse>;

export const GetVersionResponse = message('ns.GetVersionResponse', {
  version: [1, 'string'],
  region: [2, common.Region],
});
export type GetVersionResponse = MessageOf<typeof GetVersionResponse>;

export const RemoveDeviceFromMulticastGroupRequest = message('ns.RemoveDeviceFromMulticastGroupRequest', {
  devEui: [1, 'bytes'],
  multicastGroupId: [2, 'bytes'],
});
export type RemoveDeviceFromMulticastGroupRequest = MessageOf<typeof RemoveDeviceFromMulticastGroupRequest>;

export const SendProprietaryPayloadRequest = message('ns.SendProprietaryPayloadRequest', {
  macPayload: [1, 'bytes'],
  mic: [2, 'bytes'],
  gatewayMacs: [3, repeated('bytes')],
  polarizationInversion: [4, 'bool'],
  frequency: [5, 'uint32'],
  dr: [6, 'uint32'],
});
export type SendProprietaryPayloadRequest = MessageOf<typeof SendProprietaryPayloadRequest>;

export const StreamFrameLogsForDeviceRequest = message('ns.StreamFrameLogsForDeviceRequest', {
  devEui: [1, 'bytes'],
});
export type StreamFrameLogsForDeviceRequest = MessageOf<typeof StreamFrameLogsForDeviceRequest>;

export const UplinkFrameLog = message('ns.UplinkFrameLog', {
  phyPayload: [1, 'bytes'],
  txInfo: [2, gw.UplinkTXInfo],
  rxInfo: [3, repeated(gw.UplinkRXInfo)],
  mType: [4, common.MType],
  devAddr: [5, 'bytes'],
  devEui: [6, 'bytes'],
  publishedAt: [7, 'timestamp'],
});
export type UplinkFrameLog = MessageOf<typeof UplinkFrameLog>;

export const StreamFrameLogsForDeviceResponse = message('ns.StreamFrameLogsForDeviceResponse', {
  uplinkFrameSet: [1, UplinkFrameLog, { oneof: 'frame' }],
  downlinkFrame: [2, DownlinkFrameLog, { oneof: 'frame' }],
});
export type StreamFrameLogsForDeviceResponse = MessageOf<typeof StreamFrameLogsForDeviceResponse>;

export const StreamFrameLogsForGatewayRequest = message('ns.StreamFrameLogsForGatewayRequest', {
  gatewayId: [1, 'bytes'],
});
export type StreamFrameLogsForGatewayRequest = MessageOf<typeof StreamFrameLogsForGatewayRequest>;

export const StreamFrameLogsForGatewayResponse = message('ns.StreamFrameLogsForGatewayResponse', {
  uplinkFrameSet: [1, UplinkFrameLog, { oneof: 'frame' }],
  downlinkFrame: [2, DownlinkFrameLog, { oneof: 'frame' }],
});
export type StreamFrameLogsForGatewayResponse = MessageOf<typeof StreamFrameLogsForGatewayResponse>;

export const UpdateDeviceProfileRequest = message('ns.UpdateDeviceProfileRequest', {
  deviceProfile: [1, DeviceProfile],
});
export type UpdateDeviceProfileRequest = MessageOf<typeof UpdateDeviceProfileRequest>;

export const UpdateDeviceRequest = message('ns.UpdateDeviceRequest', {
  device: [1, Device],
});
export type UpdateDeviceRequest = MessageOf<typeof UpdateDeviceRequest>;

export const UpdateGatewayProfileRequest = message('ns.UpdateGatewayProfileRequest', {
  gatewayProfile: [1, GatewayProfile],
});
export type UpdateGatewayProfileRequest = MessageOf<typeof UpdateGatewayProfileRequest>;

export const UpdateGatewayRequest = message('ns.UpdateGatewayRequest', {
  gateway: [1, Gateway],
});
export type UpdateGatewayRequest = MessageOf<typeof UpdateGatewayRequest>;

export const UpdateMulticastGroupRequest = message('ns.UpdateMulticastGroupRequest', {
  multicastGroup: [1, MulticastGroup],
});
export type UpdateMulticastGroupRequest = MessageOf<typeof UpdateMulticastGroupRequest>;

export const UpdateRoutingProfileRequest = message('ns.UpdateRoutingProfileRequest', {
  routingProfile: [1, RoutingProfile],
});
export type UpdateRoutingProfileRequest = MessageOf<typeof UpdateRoutingProfileRequest>;

export const UpdateServiceProfileRequest = message('ns.UpdateServiceProfileRequest', {
  serviceProfile: [1, ServiceProfile],
});
export type UpdateServiceProfileRequest = MessageOf<typeof UpdateServiceProfileRequest>;

export const NetworkServerService = service('ns.NetworkServerService', {
  createServiceProfile: [CreateServiceProfileRequest, CreateServiceProfileResponse],
  getServiceProfile: [GetServiceProfileRequest, GetServiceProfileResponse],
  updateServiceProfile: [UpdateServiceProfileRequest, Empty],
  deleteServiceProfile: [DeleteServiceProfileRequest, Empty],
  createRoutingProfile: [CreateRoutingProfileRequest, CreateRoutingProfileResponse],
  getRoutingProfile: [GetRoutingProfileRequest, GetRoutingProfileResponse],
  updateRoutingProfile: [UpdateRoutingProfileRequest, Empty],
  deleteRoutingProfile: [DeleteRoutingProfileRequest, Empty],
  createDeviceProfile: [CreateDeviceProfileRequest, CreateDeviceProfileResponse],
  getDeviceProfile: [GetDeviceProfileRequest, GetDeviceProfileResponse],
  updateDeviceProfile: [UpdateDeviceProfileRequest, Empty],
  deleteDeviceProfile: [DeleteDeviceProfileRequest, Empty],
  createDevice: [CreateDeviceRequest, Empty],
  getDevice: [GetDeviceRequest, GetDeviceResponse],
  updateDevice: [UpdateDeviceRequest, Empty],
  deleteDevice: [DeleteDeviceRequest, Empty],
  activateDevice: [ActivateDeviceRequest, Empty],
  deactivateDevice: [DeactivateDeviceRequest, Empty],
  getDeviceActivation: [GetDeviceActivationRequest, GetDeviceActivationResponse],
  createDeviceQueueItem: [CreateDeviceQueueItemRequest, Empty],
  flushDeviceQueueForDevEUI: [FlushDeviceQueueForDevEUIRequest, Empty],
  getDeviceQueueItemsForDevEUI: [GetDeviceQueueItemsForDevEUIRequest, GetDeviceQueueItemsForDevEUIResponse],
  getNextDownlinkFCntForDevEUI: [GetNextDownlinkFCntForDevEUIRequest, GetNextDownlinkFCntForDevEUIResponse],
  getRandomDevAddr: [Empty, GetRandomDevAddrResponse],
  createMACCommandQueueItem: [CreateMACCommandQueueItemRequest, Empty],
  sendProprietaryPayload: [SendProprietaryPayloadRequest, Empty],
  createGateway: [CreateGatewayRequest, Empty],
  getGateway: [GetGatewayRequest, GetGatewayResponse],
  updateGateway: [UpdateGatewayRequest, Empty],
  deleteGateway: [DeleteGatewayRequest, Empty],
  generateGatewayClientCertificate: [GenerateGatewayClientCertificateRequest, GenerateGatewayClientCertificateResponse],
  createGatewayProfile: [CreateGatewayProfileRequest, CreateGatewayProfileResponse],
  getGatewayProfile: [GetGatewayProfileRequest, GetGatewayProfileResponse],
  updateGatewayProfile: [UpdateGatewayProfileRequest, Empty],
  deleteGatewayProfile: [DeleteGatewayProfileRequest, Empty],
  getGatewayStats: [GetGatewayStatsRequest, GetGatewayStatsResponse],
  streamFrameLogsForGateway: [StreamFrameLogsForGatewayRequest, stream(StreamFrameLogsForGatewayResponse)],
  streamFrameLogsForDevice: [StreamFrameLogsForDeviceRequest, stream(StreamFrameLogsForDeviceResponse)],
  createMulticastGroup: [CreateMulticastGroupRequest, CreateMulticastGroupResponse],
  getMulticastGroup: [GetMulticastGroupRequest, GetMulticastGroupResponse],
  updateMulticastGroup: [UpdateMulticastGroupRequest, Empty],
  deleteMulticastGroup: [DeleteMulticastGroupRequest, Empty],
  addDeviceToMulticastGroup: [AddDeviceToMulticastGroupRequest, Empty],
  removeDeviceFromMulticastGroup: [RemoveDeviceFromMulticastGroupRequest, Empty],
  enqueueMulticastQueueItem: [EnqueueMulticastQueueItemRequest, Empty],
  flushMulticastQueueForMulticastGroup: [FlushMulticastQueueForMulticastGroupRequest, Empty],
  getMulticastQueueItemsForMulticastGroup: [
    GetMulticastQueueItemsForMulticastGroupRequest,
    GetMulticastQueueItemsForMulticastGroupResponse,
  ],
  getVersion: [Empty, GetVersionResponse],
  getADRAlgorithms: [Empty, GetADRAlgorithmsResponse],
  clearDeviceNonces: [ClearDeviceNoncesRequest, Empty],
});
export type NetworkServerService = ServiceOf<typeof NetworkServerService>;
