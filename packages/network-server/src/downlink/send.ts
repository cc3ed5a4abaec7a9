import type { Network } from '../network/network.ts';
import type { Transmission } from '../network/transmissions.ts';

/** That an answer is tried at, when processes that had them turn out to be gone. */
export const mostGateways = 3;

/**
 * Lets a downlink leave whose counters or session are on disk, and remembers it until its gateway reports. `otherwise`:
 * what to do when the process that has the gateway's path turns out to be gone, or to have lost it.
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
