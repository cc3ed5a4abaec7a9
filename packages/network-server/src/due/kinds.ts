import { serveQueue } from '../downlink/serve-queue.ts';
import { isGatewayQueue } from '../multicast/due-work.ts';
import { serveGateway } from '../multicast/serve-gateway.ts';
import { serveGroupQueue } from '../multicast/serve-group-queue.ts';
import type { Network } from '../network/network.ts';
import type { KeyedQueues } from '../platform/keyed-queues.ts';
import type { DueHandlers } from './scheduler.ts';

/** The handlers of each kind of due work. Work for a device runs in the same queue as its uplinks. */
export function dueHandlers(network: Network, lanes: KeyedQueues): DueHandlers {
  return {
    multicast: (claim) =>
      lanes.run(claim.key, () =>
        isGatewayQueue(claim) ? serveGateway(network, claim) : serveGroupQueue(network, claim),
      ),
    queue: (claim) => lanes.run(claim.key, () => serveQueue(network, claim)),
  };
}
