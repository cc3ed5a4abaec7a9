import { classB, defaultChannels, dynamicPlan } from './dynamic-plan.ts';
import type { Region } from './region.ts';

/** China, 779 MHz band. */
export const cn779: Region = {
  name: 'CN779',
  aliases: ['CN_779_787', 'CN779-787'],
  frequencyRange: [779_500_000, 786_500_000],
  ...dynamicPlan,
  maxPayload: [
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250, 250, 250] },
    { repeater: true, macVersions: ['1.0.4', '1.1.0'], sizes: [59, 59, 59, 123, 230, 230, 230, 230] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230, 250, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10],
  maxEIRP: 12.15,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 10 }],
  ...defaultChannels(3, 779_500_000, 200_000),
  rx2: { frequency: 786_000_000, dataRate: 0 },
  ...classB(785_000_000),
  subBands: [{ from: 779_000_000, to: 787_000_000, dutyCycle: 0.01, maxEIRP: 12.15 }],
  basicsStationRegion: 'CN779',
};
