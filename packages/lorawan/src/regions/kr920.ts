import { lora } from './modulations.ts';
import type { Region } from './region.ts';

/** Korea. */
export const kr920: Region = {
  name: 'KR920',
  aliases: ['KR_920_923', 'KR920-923'],
  frequencyRange: [920_900_000, 923_300_000],
  channelPlan: 'dynamic',
  maxUplinkChannels: 16,
  cFListType: 0,
  cFListSince: null,
  dataRates: {
    0: lora(12, 125),
    1: lora(11, 125),
    2: lora(10, 125),
    3: lora(9, 125),
    4: lora(8, 125),
    5: lora(7, 125),
  },
  uplinkDataRates: [0, 5],
  maxADRDataRate: 5,
  maxPayload: [
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14],
  maxEIRP: 14,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 23 }],
  uplinkChannels: [{ index: 0, count: 3, frequency: 922_100_000, step: 200_000, minDR: 0, maxDR: 5 }],
  downlinkChannels: [{ index: 0, count: 3, frequency: 922_100_000, step: 200_000, minDR: 0, maxDR: 5 }],
  rx1ChannelModulo: null,
  rx1DataRates: [
    {
      rows: [
        [0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [2, 1, 0, 0, 0, 0],
        [3, 2, 1, 0, 0, 0],
        [4, 3, 2, 1, 0, 0],
        [5, 4, 3, 2, 1, 0],
      ],
    },
  ],
  rx2: { frequency: 921_900_000, dataRate: 0 },
  beacon: {
    dataRate: 3,
    frequencies: [923_100_000],
    layout: [2, 8, 17],
  },
  pingSlot: {
    dataRate: 3,
    frequencies: [923_100_000],
  },
  txParamSetup: [],
  subBands: [{ from: 920_000_000, to: 923_000_000, dutyCycle: 1, maxEIRP: 16.15 }],
  recommendedExtraChannels: [],
  gatewayChannels: [
    { modulation: 'LORA', frequency: 922_100_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 922_300_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 922_500_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
  ],
  basicsStationRegion: 'KR920',
};
