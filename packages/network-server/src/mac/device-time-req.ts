import { gpsTimeOf, macCommand } from '@hilltop/lorawan';
import { macRule } from './rule.ts';

/** The seconds of the answer have 32 bits. */
const endMs = 2 ** 32 * 1000;

/** LoRaWAN 1.0.4 §5.9: the time at the end of the uplink, by the GPS of a gateway, its clock, or ours; none before GPS. */
export const deviceTimeReq = macRule({
  receives: 'DeviceTimeReq',
  handle(_block, { network, uplink }) {
    const received = uplink.receptions.map(({ rxInfo }) => rxInfo);
    const times = [
      ...received.map(({ timeSinceGPSEpoch }) => timeSinceGPSEpoch),
      ...received.map(({ time }) => time && gpsTimeOf(time)),
      gpsTimeOf(network.clock.now()),
    ];
    const timeSinceGPSEpoch = times.find((time) => time !== null && time >= 0 && time < endMs);
    if (typeof timeSinceGPSEpoch !== 'number') return {};
    return { answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch })] };
  },
});
