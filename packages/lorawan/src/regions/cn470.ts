import { fsk, lora, narrowLoRa } from './modulations.ts';
import type { Region } from './region.ts';

/** China, 96 channels. */
export const cn470: Region = {
  name: 'CN470',
  aliases: ['CN_470_510', 'CN470-510'],
  frequencyRange: [470_000_000, 510_000_000],
  channelPlan: 'fixed',
  maxUplinkChannels: 96,
  cFListType: 1,
  cFListSince: '1.0.3',
  dataRates: {
    ...narrowLoRa,
    6: lora(7, 500),
    7: fsk(50000),
  },
  uplinkDataRates: [0, 5],
  maxADRDataRate: 5,
  maxPayload: [
    { repeater: false, macVersions: ['1.0.1'], sizes: [59, 59, 59, 123, 230, 230] },
    {
      repeater: false,
      macVersions: ['1.0.0', '1.0.4'],
      revisions: ['RP002-1.0.0'],
      sizes: [59, 59, 59, 123, 250, 250],
    },
    { repeater: false, macVersions: ['1.0.0', '1.0.4'], sizes: [0, 31, 94, 192, 250, 250, 250, 250] },
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250] },
    { repeater: true, macVersions: ['1.0.0', '1.0.4'], revisions: ['RP002-1.0.0'], sizes: [59, 59, 59, 123, 230, 230] },
    {
      repeater: true,
      macVersions: ['1.0.0', '1.0.4'],
      revisions: ['RP002-1.0.1'],
      sizes: [0, 31, 94, 172, 230, 230, 230, 230],
    },
    { repeater: true, macVersions: ['1.0.0', '1.0.4'], sizes: [0, 31, 94, 192, 230, 230, 230, 230] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14],
  maxEIRP: 19.15,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 14 }],
  uplinkChannels: [{ index: 0, count: 96, frequency: 470_300_000, step: 200_000, minDR: 0, maxDR: 5 }],
  downlinkChannels: [{ index: 0, count: 48, frequency: 500_300_000, step: 200_000, minDR: 0, maxDR: 5 }],
  rx1ChannelModulo: 48,
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
  rx2: { frequency: 505_300_000, dataRate: 0 },
  beacon: {
    dataRate: 2,
    frequencies: [
      508_300_000, 508_500_000, 508_700_000, 508_900_000, 509_100_000, 509_300_000, 509_500_000, 509_700_000,
    ],
    layout: [3, 9, 19],
  },
  pingSlot: {
    dataRate: 2,
    frequencies: [
      508_300_000, 508_500_000, 508_700_000, 508_900_000, 509_100_000, 509_300_000, 509_500_000, 509_700_000,
    ],
  },
  txParamSetup: [],
  subBands: [{ from: 470_000_000, to: 510_000_000, dutyCycle: 1, maxEIRP: 19.15 }],
  recommendedExtraChannels: [],
  gatewayChannels: [],
  basicsStationRegion: 'CN470',
};
