import { macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';

const mostAtOnce = 3;
/**
 * The number of requests that fit into FOpts next to a queued item, which does not wait for a device that may never
 * answer.
 */
const mostAtOnceForABP = 2;
const cid = 0x07;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * LoRaWAN 1.0.4 §5.6: requests the extra channels of the network that the device does not have, or has with other
 * values. Further channels of a device (a factory preset) stay defined; the channel mask of LinkADRReq disables them.
 */
export function newChannelReqs({ network, session }: DeviceContext) {
  if (network.region.channelPlan !== 'dynamic' || isUnanswered({ network, session })) return [];
  const has = new Map(session.extraChannels.map((channel) => [channel.index, channel]));
  return network.wanted.extraChannels
    .filter(({ index, frequency, minDR, maxDR }) => {
      const known = has.get(index);
      return known?.frequency !== frequency || known.minDR !== minDR || known.maxDR !== maxDR;
    })
    .slice(0, session.origin === 'ABP' ? mostAtOnceForABP : mostAtOnce)
    .map(({ index, frequency, minDR, maxDR }) =>
      macCommand('NewChannelReq', { chIndex: index, freq: frequency, minDR, maxDR }),
    );
}

/** Whether an ABP device has not answered the request of the last day: many never do, and each one costs a downlink. */
function isUnanswered({ network, session }: Pick<DeviceContext, 'network' | 'session'>): boolean {
  const { origin, pendingRequests, lastNewChannelRequestedAt: last } = session;
  if (origin !== 'ABP' || last === null || pendingRequests[cid] === undefined) return false;
  return network.clock.now().getTime() - last < dayMs;
}
