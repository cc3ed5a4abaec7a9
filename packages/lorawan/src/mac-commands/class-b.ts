import { bits, flag, frequency, layout, uint } from './layout.ts';

/** MAC commands of class B devices (LoRaWAN 1.0.4 §14; BeaconTiming only in devices older than 1.0.3). */

export const classBUplink = {
  PingSlotInfoReq: { cid: 0x10, layout: layout(1, { periodicity: bits(0, 2, 0) }) },
  PingSlotChannelAns: { cid: 0x11, layout: layout(1, { channelFrequencyOK: flag(0, 0), dataRateOK: flag(0, 1) }) },
  BeaconTimingReq: { cid: 0x12, layout: null },
  BeaconFreqAns: { cid: 0x13, layout: layout(1, { beaconFrequencyOK: flag(0, 0) }) },
} as const;

export const classBDownlink = {
  PingSlotInfoAns: { cid: 0x10, layout: null },
  PingSlotChannelReq: { cid: 0x11, layout: layout(4, { frequency: frequency(0), dr: bits(3, 3, 0) }) },
  BeaconTimingAns: { cid: 0x12, layout: layout(3, { delay: uint(0, 2), channel: uint(2, 1) }) },
  BeaconFreqReq: { cid: 0x13, layout: layout(3, { frequency: frequency(0) }) },
} as const;
