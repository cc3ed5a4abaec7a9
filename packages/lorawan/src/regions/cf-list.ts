import type { CFList } from '../frame/cf-list.ts';
import { defaultChannelIndexes } from './channels.ts';
import { isOlderMacVersion } from './mac-versions.ts';
import type { Channel, Region } from './region.ts';

const listLength = 5;

/**
 * The CFList for a join-accept, or null when it would be empty. Dynamic plans list the extra channels after the default
 * ones (by their index, only those with the usual data rates); fixed plans send masks of the enabled channels.
 */
export function cFListFor(
  region: Region,
  {
    macVersion,
    extraChannels,
    enabledChannels,
  }: {
    macVersion: string;
    extraChannels: readonly Channel[];
    enabledChannels: readonly number[];
  },
): CFList | null {
  if (region.cFListSince && isOlderMacVersion(macVersion, region.cFListSince)) return null;
  return region.cFListType === 0 ? frequencyList(region, extraChannels) : maskList(region, enabledChannels);
}

/** What a device has after a join with that CFList: its extra channels and the indexes of all enabled channels. */
export function channelsAfterJoin(
  region: Region,
  cFList: CFList | null,
): { extraChannels: Channel[]; enabledChannels: number[] } {
  const defaults = defaultChannelIndexes(region);
  if (!cFList) return { extraChannels: [], enabledChannels: defaults };
  if (cFList.type === 1) {
    return { extraChannels: [], enabledChannels: defaults.filter((index) => isInMask(cFList.chMasks, index)) };
  }
  const [minDR, maxDR] = region.uplinkDataRates;
  const extraChannels = cFList.frequencies
    .map((frequency, place) => ({ index: defaults.length + place, frequency, minDR, maxDR }))
    .filter(({ frequency }) => frequency !== 0);
  return { extraChannels, enabledChannels: [...defaults, ...extraChannels.map(({ index }) => index)] };
}

function frequencyList(region: Region, extraChannels: readonly Channel[]): CFList | null {
  const [minDR, maxDR] = region.uplinkDataRates;
  const first = defaultChannelIndexes(region).length;
  const frequencies = Array.from({ length: listLength }, (_, place) => {
    const channel = extraChannels.find(({ index }) => index === first + place);
    return channel && channel.minDR === minDR && channel.maxDR === maxDR ? channel.frequency : 0;
  });
  return frequencies.some((frequency) => frequency !== 0) ? { type: 0, frequencies } : null;
}

function maskList(region: Region, enabledChannels: readonly number[]): CFList | null {
  if (defaultChannelIndexes(region).every((index) => enabledChannels.includes(index))) return null;
  const chMasks = [0, 0, 0, 0, 0, 0, 0];
  for (const index of enabledChannels) chMasks[index >>> 4] = (chMasks[index >>> 4] ?? 0) | (1 << (index & 15));
  return { type: 1, chMasks };
}

function isInMask(chMasks: readonly number[], index: number): boolean {
  return ((chMasks[index >>> 4] ?? 0) & (1 << (index & 15))) !== 0;
}
