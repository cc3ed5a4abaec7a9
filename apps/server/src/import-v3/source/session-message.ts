import { type MessageOf, map, message, repeated } from '@hilltop/protobuf';

/** Sessions of devices as version 3 stores them in Redis. Field numbers that are missing were retired. */

const KeyEnvelope = message('v3.KeyEnvelope', { kekLabel: [1, 'string'], aesKey: [2, 'bytes'] });

const Channel = message('v3.DeviceSessionPBChannel', {
  frequency: [1, 'uint32'],
  minDR: [2, 'uint32'],
  maxDR: [3, 'uint32'],
});

/** On the wire, a map is a list of pairs. */
const ChannelEntry = message('v3.DeviceSessionPBChannelEntry', { index: [1, 'uint32'], channel: [2, Channel] });

const UplinkHistory = message('v3.DeviceSessionPBUplinkADRHistory', {
  fCnt: [1, 'uint32'],
  maxSNR: [2, 'float'],
  txPowerIndex: [3, 'uint32'],
  gatewayCount: [4, 'uint32'],
  maxRSSI: [5, 'int32'],
});

export const SessionMessage = message('v3.DeviceSessionPB', {
  deviceProfileID: [1, 'string'],
  serviceProfileID: [2, 'string'],
  routingProfileID: [3, 'string'],
  devAddr: [4, 'bytes'],
  devEUI: [5, 'bytes'],
  joinEUI: [6, 'bytes'],
  fNwkSIntKey: [7, 'bytes'],
  sNwkSIntKey: [8, 'bytes'],
  nwkSEncKey: [9, 'bytes'],
  fCntUp: [10, 'uint32'],
  nFCntDown: [11, 'uint32'],
  aFCntDown: [12, 'uint32'],
  skipFCntCheck: [13, 'bool'],
  rxDelay: [14, 'uint32'],
  rx1DROffset: [15, 'uint32'],
  rx2DR: [16, 'uint32'],
  rx2Frequency: [17, 'uint32'],
  txPowerIndex: [18, 'uint32'],
  dr: [19, 'uint32'],
  adr: [20, 'bool'],
  maxSupportedTXPowerIndex: [21, 'uint32'],
  nbTrans: [23, 'uint32'],
  enabledUplinkChannels: [24, repeated('uint32')],
  extraUplinkChannels: [25, repeated(ChannelEntry)],
  channelFrequencies: [26, repeated('uint32')],
  uplinkADRHistory: [27, repeated(UplinkHistory)],
  lastDevStatusRequestTimeUnixNs: [29, 'int64'],
  beaconLocked: [33, 'bool'],
  pingSlotNb: [34, 'uint32'],
  pingSlotDR: [35, 'uint32'],
  pingSlotFrequency: [36, 'uint32'],
  macVersion: [37, 'string'],
  minSupportedTXPowerIndex: [38, 'uint32'],
  confFCnt: [39, 'uint32'],
  rejoinRequestMaxCountN: [40, 'uint32'],
  rejoinRequestMaxTimeN: [41, 'uint32'],
  rejoinCount0: [42, 'uint32'],
  pendingRejoinDeviceSession: [43, 'bytes'],
  rejoinRequestEnabled: [44, 'bool'],
  appSKeyEnvelope: [45, KeyEnvelope],
  referenceAltitude: [46, 'double'],
  uplinkDwellTime400ms: [47, 'bool'],
  downlinkDwellTime400ms: [48, 'bool'],
  uplinkMaxEIRPIndex: [49, 'uint32'],
  macCommandErrorCount: [50, map('uint32', 'uint32')],
  isDisabled: [51, 'bool'],
});
export type SessionMessage = MessageOf<typeof SessionMessage>;

/** The gateways that received the last uplink of a device, the best first. */
export const ReceiversMessage = message('v3.DeviceGatewayRXInfoSetPB', {
  devEUI: [1, 'bytes'],
  dr: [2, 'uint32'],
  items: [
    3,
    repeated(
      message('v3.DeviceGatewayRXInfoPB', {
        gatewayID: [1, 'bytes'],
        rssi: [2, 'int32'],
        loraSNR: [3, 'double'],
        board: [4, 'uint32'],
        antenna: [5, 'uint32'],
        context: [6, 'bytes'],
      }),
    ),
  ],
});
