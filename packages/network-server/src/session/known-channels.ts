import type { Channel } from '@hilltop/lorawan';
import type { DeviceSession } from '../state/session.ts';

type Channels = Pick<DeviceSession, 'extraChannels' | 'formerChannels'>;

const mostDoubtful = 32;
const isSame = (one: Channel, other: Channel) => one.index === other.index && one.frequency === other.frequency;

/** The channels beyond the region's own on which a device may be heard: what it surely has, and what it may have. */
export function knownChannels({ extraChannels, formerChannels }: Channels): Channel[] {
  if (formerChannels.length === 0) return extraChannels;
  return [...extraChannels, ...formerChannels.filter((one) => !extraChannels.some((sure) => isSame(one, sure)))];
}

/** The device may have fallen back to the region's own channels: all others are told again, and understood meanwhile. */
export function doubtChannels(session: DeviceSession): void {
  session.formerChannels = knownChannels(session);
  session.extraChannels = [];
}

/** The device was asked to take these channels: it may be heard there before its answer is. */
export function expectChannels(session: DeviceSession, asked: readonly Channel[]): void {
  const others = session.formerChannels.filter((one) => !asked.some((channel) => isSame(one, channel)));
  session.formerChannels = [...others, ...asked].slice(-mostDoubtful);
}
