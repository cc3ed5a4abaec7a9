import { gpsTimeOf } from '@hilltop/lorawan';
import type { Clock } from '../platform/runtime.ts';
import type { Settings } from '../settings/settings.ts';
import { isClockRight } from './gateway-clocks.ts';
import type { Uplink } from './uplink.ts';

/** The end of the 32 bits of seconds that devices get. */
const endMs = 2 ** 32 * 1000;

/**
 * The GPS time in milliseconds of the end of an uplink: from the GPS or clock of a gateway if these are close to our
 * clock, else from our clock; null before the GPS epoch.
 */
export function uplinkTime(network: { clock: Clock; settings: Settings }, { receptions }: Uplink): number | null {
  const ours = gpsTimeOf(network.clock.now());
  const received = receptions.map(({ rxInfo }) => rxInfo);
  const times = [
    ...received.map(({ timeSinceGPSEpoch }) => timeSinceGPSEpoch),
    ...received.map(({ time }) => time && gpsTimeOf(time)),
  ];
  const right = times.find((time) => time !== null && isClockRight(network, time - ours));
  const time = right ?? ours;
  return time >= 0 && time < endMs ? time : null;
}
