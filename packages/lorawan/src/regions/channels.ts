import type { Channel, ChannelRun, Region } from './region.ts';

/** The channels that every device of the region has from the start. */
export function defaultUplinkChannels(region: Region): readonly Channel[] {
  return expand(region.uplinkChannels);
}

export function defaultDownlinkChannels(region: Region): readonly Channel[] {
  return expand(region.downlinkChannels);
}

/** Indexes of the default channels, which are all enabled after a join. */
export function defaultChannelIndexes(region: Region): number[] {
  return defaultUplinkChannels(region).map(({ index }) => index);
}

/** Default channels and the given extra ones, which replace those with the same index. */
export function uplinkChannels(region: Region, extraChannels: readonly Channel[] = []): readonly Channel[] {
  if (extraChannels.length === 0) return defaultUplinkChannels(region);
  const defaults = defaultUplinkChannels(region).filter(
    ({ index }) => !extraChannels.some((one) => one.index === index),
  );
  return [...defaults, ...extraChannels].sort((left, right) => left.index - right.index);
}

/** Index of the uplink channel on that frequency which allows the data-rate (TxCh of the 1.1 MIC), or null. */
export function channelIndexOf(
  region: Region,
  frequency: number,
  dataRate: number,
  extraChannels: readonly Channel[] = [],
): number | null {
  const allows = (channel: Channel) =>
    channel.frequency === frequency && channel.minDR <= dataRate && dataRate <= channel.maxDR;
  const found = defaultUplinkChannels(region).find(allows) ?? extraChannels.find(allows);
  return found?.index ?? null;
}

/** Whether there is an uplink channel on that frequency. */
export function isUplinkFrequency(region: Region, frequency: number, extraChannels: readonly Channel[] = []): boolean {
  const isOn = (channel: Channel) => channel.frequency === frequency;
  return defaultUplinkChannels(region).some(isOn) || extraChannels.some(isOn);
}

const expanded = new WeakMap<readonly ChannelRun[], readonly Channel[]>();

function expand(runs: readonly ChannelRun[]): readonly Channel[] {
  let channels = expanded.get(runs);
  if (!channels) {
    channels = runs.flatMap(({ index, count, frequency, step, minDR, maxDR }) =>
      Array.from({ length: count }, (_, nth) => ({
        index: index + nth,
        frequency: frequency + nth * step,
        minDR,
        maxDR,
      })),
    );
    expanded.set(runs, channels);
  }
  return channels;
}
