import { macRule } from './rule.ts';

/**
 * TS011-1.0.1: a relay heard a device that it does not forward for. It is shown in the frame log of the relay, told
 * to the log, once for each uplink, and counted; there is no answer.
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
