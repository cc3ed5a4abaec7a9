import { as923 } from './as923.ts';
import type { Region } from './region.ts';

/** Asia, group 4: AS923 shifted by -5.9 MHz. */
export const as923Group4: Region = {
  ...as923,
  name: 'AS923-4',
  aliases: ['AS_923_4', 'AS923_4'],
  frequencyRange: [917_000_000, 920_000_000],
  uplinkChannels: [{ index: 0, count: 2, frequency: 917_300_000, step: 200_000, minDR: 0, maxDR: 5 }],
  downlinkChannels: [{ index: 0, count: 2, frequency: 917_300_000, step: 200_000, minDR: 0, maxDR: 5 }],
  rx2: { frequency: 917_300_000, dataRate: 2 },
  beacon: {
    dataRate: 3,
    frequencies: [917_500_000],
    layout: [2, 8, 17],
  },
  pingSlot: {
    dataRate: 3,
    frequencies: [917_500_000],
  },
  subBands: [{ from: 917_300_000, to: 917_500_000, dutyCycle: 0.01, maxEIRP: 16 }],
  gatewayChannels: [
    { modulation: 'LORA', frequency: 917_300_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 917_500_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
  ],
  basicsStationRegion: 'AS923-4',
};
