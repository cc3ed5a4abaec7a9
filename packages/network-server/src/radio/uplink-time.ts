import { gpsTimeOf } from '@hilltop/lorawan';
import type { Clock } from '../platform/runtime.ts';
import type { Settings } from '../settings/settings.ts';
import { isClockRight } from './gateway-clocks.ts';
import type { Uplink } from './uplink.ts';

/** Devices get the seconds with 32 bits. */
const endMs = 2 ** 32 * 1000;

/**
 * GPS time in milliseconds of the end of an uplink: from the GPS or the clock of a gateway where these are near our
 * clock, else from ours; null before the GPS epoch.
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
