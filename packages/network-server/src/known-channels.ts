import type { Channel } from '@hilltop/lorawan';
import type { DeviceSession } from './state/session.ts';

type Channels = Pick<DeviceSession, 'extraChannels' | 'formerChannels'>;

/** The channels beyond the region's own on which a device may be heard: what it surely has, and what it may have kept. */
export function knownChannels({ extraChannels, formerChannels }: Channels): Channel[] {
  if (formerChannels.length === 0) return extraChannels;
  const sure = new Set(extraChannels.map(({ index }) => index));
  return [...extraChannels, ...formerChannels.filter(({ index }) => !sure.has(index))];
}

/** The device may have fallen back to the region's own channels: all others are told again, and understood meanwhile. */
export function doubtChannels(session: DeviceSession): void {
  session.formerChannels = knownChannels(session);
  session.extraChannels = [];
}
