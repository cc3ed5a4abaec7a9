/**
 * LoRaWAN frames, security, MAC commands and regions: pure functions on bytes and numbers, without clock, randomness
 * and I/O.
 */
export { airtime, type LoRaFrameShape, loRaAirtimeUs, loRaPayloadSymbols, type Modulation } from './airtime.ts';
export { concatBytes, equalBytes } from './bytes.ts';
export { aesDecryptBlocks, aesEncryptBlocks, unwrapKey, wrapKey } from './crypto/aes.ts';
export { aesCmac } from './crypto/cmac.ts';
export { decryptFineTimestamp } from './crypto/fine-timestamp.ts';
export {
  clearJoinAccept,
  decryptJoinAccept,
  encryptJoinAccept,
  type JoinAcceptSecurity,
  openJoinAccept,
  sealJoinAccept,
} from './crypto/join-accept.ts';
export {
  deriveJoinServerKeys,
  deriveMcKEKey,
  deriveMcRootKey10,
  deriveMcRootKey11,
  deriveMulticastKeys,
  deriveSessionKeys10,
  deriveSessionKeys11,
  openMcKey,
  type SessionKeys,
  sealMcKey,
} from './crypto/key-derivation.ts';
export {
  type AnsweredJoin,
  type DataMicContext,
  dataMic,
  isDataMicValid,
  joinAcceptMic,
  joinRequestMic,
  rejoinRequestMic,
} from './crypto/mic.ts';
export { type CipherContext, cryptFOpts, cryptFRMPayload } from './crypto/payload-cipher.ts';
export { FrameError } from './errors.ts';
export { type CFList, decodeCFList, encodeCFList } from './frame/cf-list.ts';
export {
  type DataFrame,
  type DataMType,
  type Direction,
  type DLSettings,
  directionOf,
  type FCtrl,
  type Frame,
  isDataFrame,
  type JoinAccept,
  type JoinAcceptFrame,
  type JoinRequestFrame,
  type MType,
  mTypes,
  type ProprietaryFrame,
  type RejoinRequestFrame,
} from './frame/frame.ts';
export { fullFCnt } from './frame/frame-counter.ts';
export { decodeFCtrl, encodeFCtrl } from './frame/frame-header.ts';
export {
  anyFrameToJson,
  decodedFrameToJson,
  type FrameJson,
  type FrameJsonOptions,
} from './frame/frame-json.ts';
export { decodeDLSettings, decodeJoinAccept, encodeDLSettings, encodeJoinAccept } from './frame/join-accept.ts';
export { decodeFrame, encodeFrame } from './frame/phy-payload.ts';
export { decodeForwardedUplink, encodeForwardedUplink, type ForwardedUplink, relayFPort } from './frame/relay.ts';
export { dateOfGpsTime, gpsTimeOf } from './gps-time.ts';
export {
  type DevAddrPrefix,
  devAddrPrefix,
  devAddrWithPrefix,
  netIDNumber,
  netIDOf,
  netIDType,
  nwkIDOf,
} from './identifiers.ts';
export { decodeMacCommands, encodeMacCommands, macCommandToJson } from './mac-commands/codec.ts';
export {
  type KnownMacCommand,
  type MacCommand,
  type MacCommandName,
  type MacCommandOf,
  type MacPayload,
  macCommand,
  macCommandsDown,
  macCommandsUp,
  type RawMacCommand,
} from './mac-commands/registry.ts';
export { cFListFor, channelsAfterJoin } from './regions/cf-list.ts';
export { type ChannelGroup, channelGroups } from './regions/channel-groups.ts';
export {
  channelsAfterLinkADRReq,
  type LinkADRReqPayload,
  linkADRReqPayloads,
  linkADRReqUnchanged,
} from './regions/channel-mask.ts';
export {
  channelIndexOf,
  defaultChannelIndexes,
  defaultDownlinkChannels,
  defaultUplinkChannels,
  isUplinkFrequency,
  uplinkChannels,
} from './regions/channels.ts';
export {
  beaconFrequency,
  beaconPeriodSeconds,
  nextBeacon,
  nextPingSlot,
  pingOffset,
  pingSlotFrequency,
} from './regions/class-b.ts';
export { dataRateOf, highestADRDataRate, modulationOf } from './regions/data-rates.ts';
export { limitedSubBandOf, limitedSubBands } from './regions/duty-cycle.ts';
export { type MaxPayload, maxPayloadSize } from './regions/max-payload.ts';
export {
  deviceEIRP,
  downlinkTxPower,
  eirpCodeOf,
  eirpCodes,
  hasTxParamSetup,
  linkBudget,
  maxTxPowerIndex,
  requiredSNR,
  sensitivity,
} from './regions/radio.ts';
export {
  joinAcceptDelays,
  rx1DataRate,
  rx1Frequency,
  rx1Offsets,
  rx2Defaults,
  windowProblem,
} from './regions/receive-windows.ts';
export type {
  Channel,
  ChannelRun,
  DataRate,
  DataRates,
  GatewayChannel,
  MaxPayloadRule,
  Region,
  RX1DataRates,
} from './regions/region.ts';
export { region, regions } from './regions/registry.ts';
