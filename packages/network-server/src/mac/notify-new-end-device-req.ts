import { macRule } from './rule.ts';

/**
 * TS011-1.0.1: a relay received a device for which it does not forward. The frame log of the relay shows it; it is
 * logged once for each uplink and counted. There is no answer.
 */
export const notifyNewEndDeviceReq = macRule({
  receives: 'NotifyNewEndDeviceReq',
  handle(block, { network, session }) {
    const received = block.map(({ payload }) => payload);
    network.count('relay_new_devices', {}, received.length);
    network.log.info(
      { relay: session.devEUI, received },
      'A relay received frames of devices that it does not forward for.',
    );
    return {};
  },
});
