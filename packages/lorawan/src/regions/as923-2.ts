import { as923 } from './as923.ts';
import type { Region } from './region.ts';

/** Asia, group 2: AS923 shifted by -1.8 MHz. */
export const as923Group2: Region = {
  ...as923,
  name: 'AS923-2',
  aliases: ['AS_923_2', 'AS923_2'],
  uplinkChannels: [{ index: 0, count: 2, frequency: 921_400_000, step: 200_000, minDR: 0, maxDR: 5 }],
  downlinkChannels: [{ index: 0, count: 2, frequency: 921_400_000, step: 200_000, minDR: 0, maxDR: 5 }],
  rx2: { frequency: 921_400_000, dataRate: 2 },
  beacon: {
    dataRate: 3,
    frequencies: [921_600_000],
    layout: [2, 8, 17],
  },
  pingSlot: {
    dataRate: 3,
    frequencies: [921_600_000],
  },
  subBands: [{ from: 921_400_000, to: 922_000_000, dutyCycle: 0.01, maxEIRP: 16 }],
  gatewayChannels: [
    { modulation: 'LORA', frequency: 921_400_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
    { modulation: 'LORA', frequency: 921_600_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
  ],
  basicsStationRegion: 'AS923-2',
};
