import { macRule } from './rule.ts';

/**
 * TS011-1.0.1: a relay heard a device that it does not forward for. It is shown in the frame log of the relay, told
 * to the log and counted; there is no answer.
 */
export const notifyNewEndDeviceReq = macRule({
  receives: 'NotifyNewEndDeviceReq',
  handle(block, { network, session }) {
    for (const { payload } of block) {
      network.count('relay_new_devices');
      network.log.info({ relay: session.devEUI, ...payload }, 'A relay heard a device that it does not forward for.');
    }
    return {};
  },
});
