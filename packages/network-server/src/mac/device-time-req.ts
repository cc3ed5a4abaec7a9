import { gpsTimeOf, macCommand } from '@hilltop/lorawan';
import { macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §5.9: the time at the end of the uplink, by the GPS of a gateway, its clock, or ours. */
export const deviceTimeReq = macRule({
  receives: 'DeviceTimeReq',
  handle(_block, { network, uplink }) {
    const received = uplink.receptions.map(({ rxInfo }) => rxInfo);
    const byGPS = received.find(({ timeSinceGPSEpoch }) => timeSinceGPSEpoch !== null)?.timeSinceGPSEpoch;
    const byClock = received.find(({ time }) => time !== null)?.time;
    const timeSinceGPSEpoch = byGPS ?? gpsTimeOf(byClock ?? network.clock.now());
    return { answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch })] };
  },
});
