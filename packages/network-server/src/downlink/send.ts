import type { Network } from '../network/network.ts';
import type { Transmission } from '../network/transmissions.ts';

/** The most gateways that are tried for a response, whether they refuse or their instance has ended. */
export const mostGateways = 3;

/**
 * Sends a downlink whose counters or session are on disk, and remembers it until its gateway answers. `tryAgain` is
 * called when the instance with the path of the gateway could not pass the downlink on: the response is then decided
 * again, with a new counter. `atNextGateway` handles a gateway that refuses.
 */
export function send(network: Network, transmission: Transmission, tryAgain?: () => void): void {
  const { frame } = transmission;
  network.transmissions.add(transmission);
  network.count('downlinks');
  const unsent = () => {
    network.count('downlinks_without_gateway');
    network.transmissions.take(frame.downlinkID);
    tryAgain?.();
  };
  if (!network.gateways.send(frame.gatewayID.toHex(), frame, unsent)) network.count('downlinks_without_gateway');
}
