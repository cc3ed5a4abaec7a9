import { defaultUplinkChannels } from './channels.ts';
import type { Region } from './region.ts';

/** Channels of a fixed plan that gateways with eight receivers listen to together, commonly called a sub-band. */
export interface ChannelGroup {
  /** From 1 on. */
  number: number;
  /** Indexes. */
  channels: number[];
}

const perGroup = 8;

/** Eight adjacent channels each, with the wide channel over them where the region has one; none in dynamic plans. */
export function channelGroups(region: Region): ChannelGroup[] {
  if (region.channelPlan === 'dynamic') return [];
  const [narrow, wide] = region.uplinkChannels;
  const indexes = defaultUplinkChannels(region).map(({ index }) => index);
  const count = Math.ceil((narrow?.count ?? 0) / perGroup);
  return Array.from({ length: count }, (_, place) => {
    const channels = indexes.slice(0, narrow?.count).slice(place * perGroup, (place + 1) * perGroup);
    return { number: place + 1, channels: wide && place < wide.count ? [...channels, wide.index + place] : channels };
  });
}
