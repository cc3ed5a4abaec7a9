import { classB, defaultChannels, dynamicPlan } from './dynamic-plan.ts';
import type { Region } from './region.ts';

/** Russia. */
export const ru864: Region = {
  name: 'RU864',
  aliases: ['RU_864_870', 'RU864-870'],
  frequencyRange: [864_000_000, 870_000_000],
  ...dynamicPlan,
  maxPayload: [
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250, 250, 250] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14],
  maxEIRP: 16,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 14 }],
  ...defaultChannels(2, 868_900_000, 200_000),
  rx2: { frequency: 869_100_000, dataRate: 0 },
  ...classB(869_100_000, 868_900_000),
  subBands: [{ from: 864_000_000, to: 870_000_000, dutyCycle: 0.01, maxEIRP: 22.15 }],
  limitsDutyCycle: true,
  basicsStationRegion: 'RU864',
};
