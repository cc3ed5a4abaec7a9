import { classB, defaultChannels, dynamicPlan, lowered, multiSF } from './dynamic-plan.ts';
import { lrFhss } from './modulations.ts';
import type { Region } from './region.ts';

/** Europe. */
export const eu868: Region = {
  name: 'EU868',
  aliases: ['EU_863_870', 'EU863-870'],
  frequencyRange: [863_000_000, 870_000_000],
  ...dynamicPlan,
  dataRates: {
    ...dynamicPlan.dataRates,
    8: lrFhss(137_000, '1/3'),
    9: lrFhss(137_000, '2/3'),
    10: lrFhss(336_000, '1/3'),
    11: lrFhss(336_000, '2/3'),
  },
  maxPayload: [
    {
      repeater: false,
      macVersions: ['1.0.4', '1.1.0'],
      revisions: ['RP002-1.0.0', 'RP002-1.0.1'],
      sizes: [59, 59, 59, 123, 250, 250, 250, 250],
    },
    {
      repeater: false,
      macVersions: ['1.0.4', '1.1.0'],
      sizes: [59, 59, 59, 123, 250, 250, 250, 250, 58, 123, 58, 123],
    },
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250, 250, 250] },
    {
      repeater: true,
      macVersions: ['1.0.4'],
      revisions: ['RP002-1.0.0', 'RP002-1.0.1'],
      sizes: [59, 59, 59, 123, 230, 230, 230, 230],
    },
    { repeater: true, macVersions: ['1.0.4'], sizes: [59, 59, 59, 123, 230, 230, 230, 230, 58, 123, 58, 123] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14],
  maxEIRP: 16,
  downlinkTxPower: [
    { from: 869_400_000, to: 869_650_000, power: 27 },
    { from: 0, to: Number.POSITIVE_INFINITY, power: 14 },
  ],
  ...defaultChannels(3, 868_100_000, 200_000),
  rx1DataRates: [
    {
      rows: [...lowered(8), [1, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0]],
    },
  ],
  rx2: { frequency: 869_525_000, dataRate: 0 },
  ...classB(869_525_000),
  subBands: [
    { from: 863_000_000, to: 865_000_000, dutyCycle: 0.001, maxEIRP: 16.15 },
    { from: 865_000_000, to: 868_000_000, dutyCycle: 0.01, maxEIRP: 16.15 },
    { from: 868_000_000, to: 868_600_000, dutyCycle: 0.01, maxEIRP: 16.15 },
    { from: 868_700_000, to: 869_200_000, dutyCycle: 0.001, maxEIRP: 16.15 },
    { from: 869_400_000, to: 869_650_000, dutyCycle: 0.1, maxEIRP: 29.15 },
    { from: 869_700_000, to: 870_000_000, dutyCycle: 0.01, maxEIRP: 16.15 },
  ],
  limitsDutyCycle: true,
  recommendedExtraChannels: [
    { frequency: 867_100_000, minDR: 0, maxDR: 5 },
    { frequency: 867_300_000, minDR: 0, maxDR: 5 },
    { frequency: 867_500_000, minDR: 0, maxDR: 5 },
    { frequency: 867_700_000, minDR: 0, maxDR: 5 },
    { frequency: 867_900_000, minDR: 0, maxDR: 5 },
  ],
  gatewayChannels: [
    multiSF(868_100_000),
    multiSF(868_300_000),
    multiSF(868_500_000),
    multiSF(867_100_000),
    multiSF(867_300_000),
    multiSF(867_500_000),
    multiSF(867_700_000),
    multiSF(867_900_000),
    { modulation: 'LORA', frequency: 868_300_000, bandwidth: 250, spreadingFactors: [7] },
    { modulation: 'FSK', frequency: 868_800_000, bandwidth: 125, datarate: 50000 },
  ],
  basicsStationRegion: 'EU863',
};
