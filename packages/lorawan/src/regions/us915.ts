import { lora, lrFhss } from './modulations.ts';
import type { Region } from './region.ts';

/** United States, Canada. */
export const us915: Region = {
  name: 'US915',
  aliases: ['US_902_928', 'US902-928'],
  frequencyRange: [902_000_000, 928_000_000],
  channelPlan: 'fixed',
  maxUplinkChannels: 72,
  cFListType: 1,
  cFListSince: '1.0.3',
  dataRates: {
    0: lora(10, 125, 'up'),
    1: lora(9, 125, 'up'),
    2: lora(8, 125, 'up'),
    3: lora(7, 125, 'up'),
    4: lora(8, 500, 'up'),
    5: lrFhss(1_523_000, '1/3'),
    6: lrFhss(1_523_000, '2/3'),
    8: lora(12, 500, 'down'),
    9: lora(11, 500, 'down'),
    10: lora(10, 500, 'down'),
    11: lora(9, 500, 'down'),
    12: lora(8, 500, 'down'),
    13: lora(7, 500, 'down'),
  },
  uplinkDataRates: [0, 4],
  maxADRDataRate: 3,
  maxPayload: [
    {
      repeater: false,
      macVersions: ['1.0.0'],
      sizes: [19, 61, 137, 250, 250, null, null, null, 61, 137, 250, 250, 250, 250],
    },
    {
      repeater: false,
      macVersions: ['1.0.1'],
      sizes: [19, 61, 134, 250, 250, null, null, null, 61, 137, 250, 250, 250, 250],
    },
    {
      repeater: false,
      macVersions: ['1.0.4'],
      revisions: ['RP002-1.0.0', 'RP002-1.0.1'],
      sizes: [19, 61, 133, 250, 250, null, null, null, 61, 137, 250, 250, 250, 250],
    },
    {
      repeater: false,
      macVersions: ['1.0.4'],
      sizes: [19, 61, 133, 250, 250, 58, 133, null, 61, 137, 250, 250, 250, 250],
    },
    { repeater: false, sizes: [19, 61, 133, 250, 250, null, null, null, 61, 137, 250, 250, 250, 250] },
    {
      repeater: true,
      macVersions: ['1.0.0'],
      sizes: [19, 61, 137, 250, 250, null, null, null, 41, 117, 230, 230, 230, 230],
    },
    {
      repeater: true,
      macVersions: ['1.0.1'],
      sizes: [19, 61, 134, 250, 250, null, null, null, 41, 117, 230, 230, 230, 230],
    },
    {
      repeater: true,
      macVersions: ['1.0.4'],
      revisions: ['RP002-1.0.0', 'RP002-1.0.1'],
      sizes: [19, 61, 133, 230, 230, null, null, null, 41, 117, 230, 230, 230, 230],
    },
    {
      repeater: true,
      macVersions: ['1.0.4'],
      sizes: [19, 61, 133, 230, 230, 58, 133, null, 61, 137, 230, 230, 230, 230],
    },
    { repeater: true, sizes: [19, 61, 133, 250, 250, null, null, null, 41, 117, 230, 230, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14, -16, -18, -20],
  maxEIRP: 30,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 20 }],
  uplinkChannels: [
    { index: 0, count: 64, frequency: 902_300_000, step: 200_000, minDR: 0, maxDR: 3 },
    { index: 64, count: 8, frequency: 903_000_000, step: 1_600_000, minDR: 4, maxDR: 6 },
  ],
  downlinkChannels: [{ index: 0, count: 8, frequency: 923_300_000, step: 600_000, minDR: 8, maxDR: 13 }],
  rx1ChannelModulo: 8,
  rx1DataRates: [
    {
      rows: [
        [10, 9, 8, 8],
        [11, 10, 9, 8],
        [12, 11, 10, 9],
        [13, 12, 11, 10],
        [13, 13, 12, 11],
        [10, 9, 8, 8],
        [11, 10, 9, 8],
      ],
    },
  ],
  rx2: { frequency: 923_300_000, dataRate: 8 },
  beacon: {
    dataRate: 8,
    frequencies: [
      923_300_000, 923_900_000, 924_500_000, 925_100_000, 925_700_000, 926_300_000, 926_900_000, 927_500_000,
    ],
    layout: [5, 11, 23],
  },
  pingSlot: {
    dataRate: 8,
    frequencies: [
      923_300_000, 923_900_000, 924_500_000, 925_100_000, 925_700_000, 926_300_000, 926_900_000, 927_500_000,
    ],
  },
  txParamSetup: [],
  subBands: [
    { from: 902_300_000, to: 914_900_000, dutyCycle: 1, maxEIRP: 23.15 },
    { from: 923_300_000, to: 927_500_000, dutyCycle: 1, maxEIRP: 28.15 },
  ],
  recommendedExtraChannels: [],
  gatewayChannels: [],
  basicsStationRegion: 'US902',
};
