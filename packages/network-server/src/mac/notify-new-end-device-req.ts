import { macRule } from './rule.ts';

/**
 * TS011-1.0.1: a relay received a device for which it does not forward. The frame log of the relay shows it; it is
 * logged once for each uplink and counted. There is no answer.
 */
export const notifyNewEndDeviceReq = macRule({
  receives: 'NotifyNewEndDeviceReq',
  handle(block, { network, session }) {
    const heard = block.map(({ payload }) => payload);
    network.count('relay_new_devices', {}, heard.length);
    network.log.info({ relay: session.devEUI, heard }, 'A relay heard devices that it does not forward for.');
    return {};
  },
});
