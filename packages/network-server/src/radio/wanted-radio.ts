import { type Channel, defaultChannelIndexes, type Region, rx2Defaults } from '@hilltop/lorawan';
import type { Settings } from '../settings/settings.ts';

export interface WantedRadio {
  rxDelay: number;
  rx1DROffset: number;
  rx2DataRate: number;
  rx2Frequency: number;
  extraChannels: Channel[];
  enabledChannels: number[];
}

/**
 * The radio parameters that the devices of a network should use. Extra channels have the indexes after those of the
 * region; a disabled channel keeps its index, and devices get no command to use it.
 */
export function wantedRadio(region: Region, settings: Settings): WantedRadio {
  const defaults = defaultChannelIndexes(region);
  const rx2 = rx2Defaults(region);
  const listed = settings.extraChannels.map(
    (channel, position): Channel => ({ index: defaults.length + position, ...channel }),
  );
  const all = [...defaults, ...listed.map(({ index }) => index)];
  const enabledChannels = settings.enabledChannels?.toSorted((a, b) => a - b) ?? all;
  return {
    rxDelay: settings.rx1Delay,
    rx1DROffset: settings.rx1DROffset,
    rx2DataRate: settings.rx2DataRate ?? rx2.dataRate,
    rx2Frequency: settings.rx2Frequency ?? rx2.frequency,
    extraChannels: listed.filter(({ index }) => enabledChannels.includes(index)),
    enabledChannels,
  };
}
