import { fsk, lora } from './modulations.ts';
import type { Region } from './region.ts';

/** Russia. */
export const ru864: Region = {
  name: 'RU864',
  aliases: ['RU_864_870', 'RU864-870'],
  frequencyRange: [864_000_000, 870_000_000],
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
    6: lora(7, 250),
    7: fsk(50000),
  },
  uplinkDataRates: [0, 5],
  maxADRDataRate: 5,
  maxPayload: [
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250, 250, 250] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14],
  maxEIRP: 16,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 14 }],
  uplinkChannels: [{ index: 0, count: 2, frequency: 868_900_000, step: 200_000, minDR: 0, maxDR: 5 }],
  downlinkChannels: [{ index: 0, count: 2, frequency: 868_900_000, step: 200_000, minDR: 0, maxDR: 5 }],
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
        [6, 5, 4, 3, 2, 1],
        [7, 6, 5, 4, 3, 2],
      ],
    },
  ],
  rx2: { frequency: 869_100_000, dataRate: 0 },
  beacon: {
    dataRate: 3,
    frequencies: [869_100_000],
    layout: [2, 8, 17],
  },
  pingSlot: {
    dataRate: 3,
    frequencies: [868_900_000],
  },
  txParamSetup: [],
  subBands: [{ from: 864_000_000, to: 870_000_000, dutyCycle: 0.01, maxEIRP: 22.15 }],
  recommendedExtraChannels: [],
  gatewayChannels: [
    { modulation: 'LORA', frequency: 868_900_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 869_100_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
  ],
  basicsStationRegion: 'RU864',
};
