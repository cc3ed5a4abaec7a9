import { as923 } from './as923.ts';
import { classB, defaultChannels } from './dynamic-plan.ts';
import type { Region } from './region.ts';

/** Asia, group 4: AS923 shifted by -5.9 MHz. */
export const as923Group4: Region = {
  ...as923,
  name: 'AS923-4',
  aliases: ['AS_923_4', 'AS923_4'],
  frequencyRange: [917_000_000, 920_000_000],
  ...defaultChannels(2, 917_300_000, 200_000),
  rx2: { frequency: 917_300_000, dataRate: 2 },
  ...classB(917_500_000),
  subBands: [{ from: 917_300_000, to: 917_500_000, dutyCycle: 0.01, maxEIRP: 16 }],
  basicsStationRegion: 'AS923-4',
};
