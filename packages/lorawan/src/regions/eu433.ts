import { fsk, lora } from './modulations.ts';
import type { Region } from './region.ts';

/** Europe, 433 MHz band. */
export const eu433: Region = {
  name: 'EU433',
  aliases: ['EU_433'],
  frequencyRange: [433_050_000, 434_790_000],
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
  txPowerOffsets: [0, -2, -4, -6, -8, -10],
  maxEIRP: 12.15,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 10 }],
  uplinkChannels: [{ index: 0, count: 3, frequency: 433_175_000, step: 200_000, minDR: 0, maxDR: 5 }],
  downlinkChannels: [{ index: 0, count: 3, frequency: 433_175_000, step: 200_000, minDR: 0, maxDR: 5 }],
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
  rx2: { frequency: 434_665_000, dataRate: 0 },
  beacon: {
    dataRate: 3,
    frequencies: [434_665_000],
    layout: [2, 8, 17],
  },
  pingSlot: {
    dataRate: 3,
    frequencies: [434_665_000],
  },
  txParamSetup: [],
  subBands: [{ from: 433_175_000, to: 434_665_000, dutyCycle: 0.1, maxEIRP: 12.15 }],
  recommendedExtraChannels: [],
  gatewayChannels: [
    { modulation: 'LORA', frequency: 433_175_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 433_375_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 433_575_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
  ],
  basicsStationRegion: 'EU433',
};
