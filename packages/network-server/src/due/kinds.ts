import { serveQueue } from '../downlink/serve-queue.ts';
import type { Lanes } from '../lanes.ts';
import { isOfGateway } from '../multicast/lane.ts';
import { serveGateway } from '../multicast/serve-gateway.ts';
import { serveLane } from '../multicast/serve-lane.ts';
import type { Network } from '../network.ts';
import type { DueHandlers } from './scheduler.ts';

/** What is done about each kind of due work. The work of a device takes its turn with the device's uplinks. */
export function dueHandlers(network: Network, lanes: Lanes): DueHandlers {
  return {
    multicast: (claim) =>
      lanes.run(claim.key, () => (isOfGateway(claim) ? serveGateway(network, claim) : serveLane(network, claim))),
    queue: (claim) => lanes.run(claim.key, () => serveQueue(network, claim)),
  };
}
