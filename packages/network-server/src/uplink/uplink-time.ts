import { gpsTimeOf } from '@hilltop/lorawan';
import type { Network } from '../network.ts';
import type { Uplink } from './uplink.ts';

/** The seconds that devices are told have 32 bits. */
const endMs = 2 ** 32 * 1000;

/** GPS time in milliseconds of the end of an uplink: by the GPS of a gateway, its clock, or ours; null before GPS. */
export function uplinkTime({ clock }: Pick<Network, 'clock'>, { receptions }: Uplink): number | null {
  const received = receptions.map(({ rxInfo }) => rxInfo);
  const times = [
    ...received.map(({ timeSinceGPSEpoch }) => timeSinceGPSEpoch),
    ...received.map(({ time }) => time && gpsTimeOf(time)),
    gpsTimeOf(clock.now()),
  ];
  return times.find((time) => time !== null && time >= 0 && time < endMs) ?? null;
}
