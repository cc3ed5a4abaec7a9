import type { DLSettings } from '../frame/frame.ts';
import { decodeDLSettings, encodeDLSettings } from '../frame/join-accept.ts';
import { bits, type Field, flag, frequency, group, layout, mask16, shownAs, signedBits, uint } from './layout.ts';

/** MAC commands of class A devices, and of class C in 1.1 (LoRaWAN 1.0.4 §5, LoRaWAN 1.1 §5). */

/** The DLSettings byte of the join-accept; frame logs show it as hex text. OptNeg is reserved here. */
const dlSettings: Field<DLSettings> = {
  read: (payload) => decodeDLSettings(payload[0]!),
  write: (payload, _name, value) => {
    payload[0] = encodeDLSettings(value);
  },
  json: (value) => encodeDLSettings(value).toString(16).padStart(2, '0'),
};

/** Seconds in four bytes and 1/256 s in a fifth, as milliseconds; frame logs show nanoseconds. */
const gpsTime: Field<number> = shownAs(
  {
    read: (payload) => whole.read(payload) * 1000 + (fraction.read(payload) * 1000) / 256,
    write: (payload, name, value) => {
      whole.write(payload, name, Math.floor(value / 1000));
      fraction.write(payload, name, Math.floor(((value % 1000) * 256) / 1000));
    },
  },
  (value) => value * 1e6,
);
const whole = uint(0, 4);
const fraction = uint(4, 1);

const minor = { minor: bits(0, 3, 0) };

export const classAUplink = {
  ResetInd: { cid: 0x01, layout: layout(1, { devLoRaWANVersion: group(minor) }) },
  LinkCheckReq: { cid: 0x02, layout: null },
  LinkADRAns: {
    cid: 0x03,
    layout: layout(1, { channelMaskAck: flag(0, 0), dataRateAck: flag(0, 1), powerAck: flag(0, 2) }),
  },
  DutyCycleAns: { cid: 0x04, layout: null },
  RXParamSetupAns: {
    cid: 0x05,
    layout: layout(1, { channelAck: flag(0, 0), rx2DataRateAck: flag(0, 1), rx1DROffsetAck: flag(0, 2) }),
  },
  DevStatusAns: { cid: 0x06, layout: layout(2, { battery: uint(0, 1), margin: signedBits(1, 5) }) },
  NewChannelAns: { cid: 0x07, layout: layout(1, { channelFrequencyOK: flag(0, 0), dataRateRangeOK: flag(0, 1) }) },
  RXTimingSetupAns: { cid: 0x08, layout: null },
  TXParamSetupAns: { cid: 0x09, layout: null },
  DLChannelAns: { cid: 0x0a, layout: layout(1, { channelFrequencyOK: flag(0, 0), uplinkFrequencyExists: flag(0, 1) }) },
  RekeyInd: { cid: 0x0b, layout: layout(1, { devLoRaWANVersion: group(minor) }) },
  ADRParamSetupAns: { cid: 0x0c, layout: null },
  DeviceTimeReq: { cid: 0x0d, layout: null },
  RejoinParamSetupAns: { cid: 0x0f, layout: layout(1, { timeOK: flag(0, 0) }) },
  DeviceModeInd: { cid: 0x20, layout: layout(1, { Class: uint(0, 1) }) },
} as const;

export const classADownlink = {
  ResetConf: { cid: 0x01, layout: layout(1, { servLoRaWANVersion: group(minor) }) },
  LinkCheckAns: { cid: 0x02, layout: layout(2, { margin: uint(0, 1), gwCnt: uint(1, 1) }) },
  LinkADRReq: {
    cid: 0x03,
    layout: layout(4, {
      dataRate: bits(0, 7, 4),
      txPower: bits(0, 3, 0),
      chMask: mask16(1),
      redundancy: group({ chMaskCntl: bits(3, 6, 4), nbRep: bits(3, 3, 0) }),
    }),
  },
  DutyCycleReq: { cid: 0x04, layout: layout(1, { maxDCycle: uint(0, 1) }) },
  RXParamSetupReq: { cid: 0x05, layout: layout(4, { frequency: frequency(1), dlSettings }) },
  DevStatusReq: { cid: 0x06, layout: null },
  NewChannelReq: {
    cid: 0x07,
    layout: layout(5, { chIndex: uint(0, 1), freq: frequency(1), maxDR: bits(4, 7, 4), minDR: bits(4, 3, 0) }),
  },
  RXTimingSetupReq: { cid: 0x08, layout: layout(1, { delay: bits(0, 3, 0) }) },
  TXParamSetupReq: {
    cid: 0x09,
    layout: layout(1, {
      downlinkDwellTime: bits(0, 5, 5),
      uplinkDwellTime: bits(0, 4, 4),
      maxEIRPCoded: bits(0, 3, 0),
    }),
  },
  DLChannelReq: { cid: 0x0a, layout: layout(4, { chIndex: uint(0, 1), freq: frequency(1) }) },
  RekeyConf: { cid: 0x0b, layout: layout(1, { servLoRaWANVersion: group(minor) }) },
  ADRParamSetupReq: {
    cid: 0x0c,
    layout: layout(1, { adrParam: group({ limitExp: bits(0, 7, 4), delayExp: bits(0, 3, 0) }) }),
  },
  DeviceTimeAns: { cid: 0x0d, layout: layout(5, { timeSinceGPSEpoch: gpsTime }) },
  ForceRejoinReq: {
    cid: 0x0e,
    layout: layout(2, {
      period: bits(0, 13, 11),
      maxRetries: bits(0, 10, 8),
      rejoinType: bits(0, 6, 4),
      dr: bits(0, 3, 0),
    }),
  },
  RejoinParamSetupReq: { cid: 0x0f, layout: layout(1, { maxTimeN: bits(0, 7, 4), maxCountN: bits(0, 3, 0) }) },
  DeviceModeConf: { cid: 0x20, layout: layout(1, { Class: uint(0, 1) }) },
} as const;
