import { classB, defaultChannels, dynamicPlan, lowered } from './dynamic-plan.ts';
import { narrowLoRa } from './modulations.ts';
import type { Region } from './region.ts';

/** Korea. */
export const kr920: Region = {
  name: 'KR920',
  aliases: ['KR_920_923', 'KR920-923'],
  frequencyRange: [920_900_000, 923_300_000],
  ...dynamicPlan,
  dataRates: narrowLoRa,
  maxPayload: [
    { repeater: false, sizes: [59, 59, 59, 123, 250, 250] },
    { repeater: true, sizes: [59, 59, 59, 123, 230, 230] },
  ],
  txPowerOffsets: [0, -2, -4, -6, -8, -10, -12, -14],
  maxEIRP: 14,
  downlinkTxPower: [{ from: 0, to: Number.POSITIVE_INFINITY, power: 23 }],
  ...defaultChannels(3, 922_100_000, 200_000),
  rx1DataRates: [{ rows: lowered(6) }],
  rx2: { frequency: 921_900_000, dataRate: 0 },
  ...classB(923_100_000),
  subBands: [{ from: 920_000_000, to: 923_000_000, dutyCycle: 1, maxEIRP: 16.15 }],
  basicsStationRegion: 'KR920',
};
