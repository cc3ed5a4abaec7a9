import { macCommand } from '@hilltop/lorawan';
import { uplinkTime } from '../radio/uplink-time.ts';
import { macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §5.9: the time at the end of the uplink; none before GPS. */
export const deviceTimeReq = macRule({
  receives: 'DeviceTimeReq',
  handle(_block, { network, uplink }) {
    const timeSinceGPSEpoch = uplinkTime(network, uplink);
    return timeSinceGPSEpoch === null ? {} : { answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch })] };
  },
});
