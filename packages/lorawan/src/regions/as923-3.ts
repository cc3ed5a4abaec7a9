import { as923 } from './as923.ts';
import { classB, defaultChannels } from './dynamic-plan.ts';
import type { Region } from './region.ts';

/** Asia, group 3: AS923 shifted by -6.6 MHz. */
export const as923Group3: Region = {
  ...as923,
  name: 'AS923-3',
  aliases: ['AS_923_3', 'AS923_3'],
  ...defaultChannels(2, 916_600_000, 200_000),
  rx2: { frequency: 916_600_000, dataRate: 2 },
  ...classB(916_800_000),
  subBands: [{ from: 916_500_000, to: 917_000_000, dutyCycle: 0.01, maxEIRP: 16 }],
  basicsStationRegion: 'AS923-3',
};
