import { classB, defaultChannels, dynamicPlan } from './dynamic-plan.ts';
import type { Region } from './region.ts';

/** Europe, 433 MHz band. */
export const eu433: Region = {
  name: 'EU433',
  aliases: ['EU_433'],
  frequencyRange: [433_050_000, 434_790_000],
  ...dynamicPlan,
  maxPayload: [
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250, 250, 250] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10],
  maxEIRP: 12.15,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 10 }],
  ...defaultChannels(3, 433_175_000, 200_000),
  rx2: { frequency: 434_665_000, dataRate: 0 },
  ...classB(434_665_000),
  subBands: [{ from: 433_175_000, to: 434_665_000, dutyCycle: 0.1, maxEIRP: 12.15 }],
  limitsDutyCycle: true,
  basicsStationRegion: 'EU433',
};
