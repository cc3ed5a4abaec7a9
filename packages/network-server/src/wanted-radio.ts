import { type Channel, defaultChannelIndexes, type Region, rx2Defaults } from '@hilltop/lorawan';
import type { WantedRadio } from './network.ts';
import type { Settings } from './settings.ts';

/** What the devices of a network shall end up with. Extra channels take the indexes after the region's own. */
export function wantedRadio(region: Region, settings: Settings): WantedRadio {
  const defaults = defaultChannelIndexes(region);
  const rx2 = rx2Defaults(region);
  const extraChannels = settings.extraChannels.map(
    (channel, place): Channel => ({ index: defaults.length + place, ...channel }),
  );
  const all = [...defaults, ...extraChannels.map(({ index }) => index)];
  return {
    rxDelay: settings.rx1Delay,
    rx1DROffset: settings.rx1DROffset,
    rx2DataRate: settings.rx2DataRate ?? rx2.dataRate,
    rx2Frequency: settings.rx2Frequency ?? rx2.frequency,
    extraChannels,
    enabledChannels: settings.enabledChannels?.toSorted((a, b) => a - b) ?? all,
  };
}
