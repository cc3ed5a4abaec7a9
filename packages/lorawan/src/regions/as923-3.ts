import { as923 } from './as923.ts';
import type { Region } from './region.ts';

/** Asia, group 3: AS923 shifted by -6.6 MHz. */
export const as923Group3: Region = {
  ...as923,
  name: 'AS923-3',
  aliases: ['AS_923_3', 'AS923_3'],
  uplinkChannels: [{ index: 0, count: 2, frequency: 916_600_000, step: 200_000, minDR: 0, maxDR: 5 }],
  downlinkChannels: [{ index: 0, count: 2, frequency: 916_600_000, step: 200_000, minDR: 0, maxDR: 5 }],
  rx2: { frequency: 916_600_000, dataRate: 2 },
  beacon: {
    dataRate: 3,
    frequencies: [916_800_000],
    layout: [2, 8, 17],
  },
  pingSlot: {
    dataRate: 3,
    frequencies: [916_800_000],
  },
  subBands: [{ from: 916_500_000, to: 917_000_000, dutyCycle: 0.01, maxEIRP: 16 }],
  gatewayChannels: [
    { modulation: 'LORA', frequency: 916_600_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 916_800_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
  ],
  basicsStationRegion: 'AS923-3',
};
