import { as923 } from './as923.ts';
import { classB, defaultChannels } from './dynamic-plan.ts';
import type { Region } from './region.ts';

/** Asia, group 2: AS923 shifted by -1.8 MHz. */
export const as923Group2: Region = {
  ...as923,
  name: 'AS923-2',
  aliases: ['AS_923_2', 'AS923_2'],
  ...defaultChannels(2, 921_400_000, 200_000),
  rx2: { frequency: 921_400_000, dataRate: 2 },
  ...classB(921_600_000),
  subBands: [{ from: 921_400_000, to: 922_000_000, dutyCycle: 0.01, maxEIRP: 16 }],
  basicsStationRegion: 'AS923-2',
};
