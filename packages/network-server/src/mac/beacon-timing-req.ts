import { macCommand } from '@hilltop/lorawan';
import { uplinkTime } from '../radio/uplink-time.ts';
import { macRule } from './rule.ts';

/**
 * When the next beacon comes, which devices older than LoRaWAN 1.0.3 ask for. It is counted from the end of the answer:
 * what stands here is filled in when that is known (`downlink/beacon-timing.ts`).
 */
export const beaconTimingReq = macRule({
  receives: 'BeaconTimingReq',
  handle(_block, { network, uplink }) {
    if (uplinkTime(network, uplink) === null) return {};
    return { answers: [macCommand('BeaconTimingAns', { delay: 0, channel: 0 })] };
  },
});
