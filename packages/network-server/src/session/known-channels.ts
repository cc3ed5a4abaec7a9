import type { Channel } from '@hilltop/lorawan';
import type { DeviceSession } from '../state/session.ts';

type Channels = Pick<DeviceSession, 'extraChannels' | 'formerChannels'>;

const mostDoubtful = 32;
const isSame = (one: Channel, other: Channel) => one.index === other.index && one.frequency === other.frequency;

/**
 * The channels beyond those of the region on which a device may send: those that it has, and those that it may have.
 */
export function knownChannels({ extraChannels, formerChannels }: Channels): Channel[] {
  if (formerChannels.length === 0) return extraChannels;
  return [...extraChannels, ...formerChannels.filter((one) => !extraChannels.some((sure) => isSame(one, sure)))];
}

/**
 * The device may have fallen back to the channels of the region: all others are requested again, and accepted
 * meanwhile.
 */
export function doubtChannels(session: DeviceSession): void {
  session.formerChannels = knownChannels(session);
  session.extraChannels = [];
}

/** The network requested these channels: the device may use them before its answer arrives. */
export function expectChannels(session: DeviceSession, asked: readonly Channel[]): void {
  const others = session.formerChannels.filter((one) => !asked.some((channel) => isSame(one, channel)));
  session.formerChannels = [...others, ...asked].slice(-mostDoubtful);
}
