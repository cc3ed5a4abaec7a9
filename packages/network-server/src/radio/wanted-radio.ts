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
 * What the devices of a network shall end up with. Extra channels take the indexes after the region's own; one that is
 * switched off keeps its index and is offered to nobody.
 */
export function wantedRadio(region: Region, settings: Settings): WantedRadio {
  const defaults = defaultChannelIndexes(region);
  const rx2 = rx2Defaults(region);
  const listed = settings.extraChannels.map(
    (channel, place): Channel => ({ index: defaults.length + place, ...channel }),
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
