import { dynamicPlan, multiSF } from './dynamic-plan.ts';
import { fsk, narrowLoRa } from './modulations.ts';
import type { Region } from './region.ts';

/** India. */
export const in865: Region = {
  name: 'IN865',
  aliases: ['IN_865_867', 'IN865-867'],
  frequencyRange: [865_000_000, 867_000_000],
  ...dynamicPlan,
  dataRates: {
    ...narrowLoRa,
    7: fsk(50000),
  },
  maxPayload: [
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250, null, 250] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230, null, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14, -16, -18, -20],
  maxEIRP: 30,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 27 }],
  uplinkChannels: [
    { index: 0, count: 2, frequency: 865_062_500, step: 340_000, minDR: 0, maxDR: 5 },
    { index: 2, count: 1, frequency: 865_985_000, step: 0, minDR: 0, maxDR: 5 },
  ],
  downlinkChannels: [
    { index: 0, count: 2, frequency: 865_062_500, step: 340_000, minDR: 0, maxDR: 5 },
    { index: 2, count: 1, frequency: 865_985_000, step: 0, minDR: 0, maxDR: 5 },
  ],
  rx1DataRates: [
    {
      rows: [
        [0, 0, 0, 0, 0, 0, 1, 2],
        [1, 0, 0, 0, 0, 0, 2, 3],
        [2, 1, 0, 0, 0, 0, 3, 4],
        [3, 2, 1, 0, 0, 0, 4, 5],
        [4, 3, 2, 1, 0, 0, 5, 5],
        [5, 4, 3, 2, 1, 0, 5, 5],
        null,
        [7, 6, 5, 4, 3, 2, 7, 7],
      ],
    },
  ],
  rx2: { frequency: 866_550_000, dataRate: 2 },
  beacon: {
    dataRate: 4,
    frequencies: [866_550_000],
    layout: [1, 7, 19],
  },
  pingSlot: {
    dataRate: 4,
    frequencies: [866_550_000],
  },
  subBands: [{ from: 865_000_000, to: 867_000_000, dutyCycle: 1, maxEIRP: 16.15 }],
  gatewayChannels: [multiSF(865_062_500), multiSF(865_402_500), multiSF(865_985_000)],
  basicsStationRegion: 'IN865',
};
