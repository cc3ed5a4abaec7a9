import { macCommand } from '@hilltop/lorawan';
import { uplinkTime } from '../radio/uplink-time.ts';
import { macRule } from './rule.ts';

/**
 * The time until the next beacon, which devices older than LoRaWAN 1.0.3 request. It counts from the end of the answer,
 * so `downlink/beacon-timing.ts` sets the value later.
 */
export const beaconTimingReq = macRule({
  receives: 'BeaconTimingReq',
  handle(_block, { network, uplink }) {
    if (uplinkTime(network, uplink) === null) return {};
    return { answers: [macCommand('BeaconTimingAns', { delay: 0, channel: 0 })] };
  },
});
