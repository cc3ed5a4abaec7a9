import type { Network } from '../network/network.ts';
import type { Transmission } from '../network/transmissions.ts';

/** A response is tried at so many gateways when the instances that had their paths are gone. */
export const mostGateways = 3;

/**
 * Sends a downlink whose counters or session are on disk, and remembers it until its gateway answers. `otherwise` is
 * called when the instance that has the path of the gateway is gone, or has lost the path.
 */
export function send(network: Network, transmission: Transmission, otherwise?: () => void): void {
  const { frame } = transmission;
  network.transmissions.add(transmission);
  network.count('downlinks');
  const unsent = () => {
    network.count('downlinks_without_gateway');
    network.transmissions.take(frame.downlinkID);
    otherwise?.();
  };
  if (!network.gateways.send(frame.gatewayID.toHex(), frame, unsent)) network.count('downlinks_without_gateway');
}
