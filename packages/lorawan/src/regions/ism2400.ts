import { classB, dynamicPlan } from './dynamic-plan.ts';
import { lora } from './modulations.ts';
import type { Region } from './region.ts';

/** Worldwide 2.4 GHz band. */
export const ism2400: Region = {
  name: 'ISM2400',
  aliases: ['ISM_2400'],
  frequencyRange: [2_400_000_000, 2_483_500_000],
  ...dynamicPlan,
  dataRates: {
    0: lora(12, 812, 'both', '4/8LI'),
    1: lora(11, 812, 'both', '4/8LI'),
    2: lora(10, 812, 'both', '4/8LI'),
    3: lora(9, 812, 'both', '4/8LI'),
    4: lora(8, 812, 'both', '4/8LI'),
    5: lora(7, 812, 'both', '4/8LI'),
    6: lora(6, 812, 'both', '4/8LI'),
    7: lora(5, 812, 'both', '4/8LI'),
  },
  uplinkDataRates: [0, 7],
  maxADRDataRate: 7,
  maxPayload: [
    { repeater: false, sizes: [59, 123, 248, 248, 248, 248, 248, 248] },
    { repeater: true, sizes: [59, 123, 228, 228, 228, 228, 228, 228] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14],
  maxEIRP: 10,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 10 }],
  uplinkChannels: [
    { index: 0, count: 2, frequency: 2_403_000_000, step: 22_000_000, minDR: 0, maxDR: 7 },
    { index: 2, count: 1, frequency: 2_479_000_000, step: 0, minDR: 0, maxDR: 7 },
  ],
  downlinkChannels: [
    { index: 0, count: 2, frequency: 2_403_000_000, step: 22_000_000, minDR: 0, maxDR: 7 },
    { index: 2, count: 1, frequency: 2_479_000_000, step: 0, minDR: 0, maxDR: 7 },
  ],
  rx2: { frequency: 2_423_000_000, dataRate: 0 },
  ...classB(2_424_000_000),
  subBands: [{ from: 2_400_000_000, to: 2_500_000_000, dutyCycle: 1, maxEIRP: 10.15 }],
  gatewayChannels: [
    { modulation: 'LORA', frequency: 2_403_000_000, bandwidth: 812, spreadingFactors: [12] },
    { modulation: 'LORA', frequency: 2_425_000_000, bandwidth: 812, spreadingFactors: [12] },
    { modulation: 'LORA', frequency: 2_479_000_000, bandwidth: 812, spreadingFactors: [12] },
  ],
  basicsStationRegion: 'ISM2400',
};
