import type { Network } from '../network/network.ts';
import type { Transmission } from '../network/transmissions.ts';

/** The most gateways that are tried for a response, whether they refuse or their instance has ended. */
export const mostGateways = 3;

/**
 * Sends a downlink whose counters or session are on disk, and remembers it until its gateway answers. `tryAgain` is
 * called when the instance with the path of the gateway could not pass the downlink on: the response is then decided
 * again, with a new counter, also when the gateway has used up its duty cycle. `atNextGateway` handles a gateway that
 * refuses.
 */
export function send(network: Network, transmission: Transmission, tryAgain?: () => void): void {
  const { frame } = transmission;
  // Another downlink was ordered since this one was decided.
  if (!network.dutyCycle.order(frame)) {
    network.count('downlinks_without_duty_cycle');
    return tryAgain?.();
  }
  network.transmissions.add(transmission);
  network.count('downlinks');
  const unsent = () => {
    network.count('downlinks_without_gateway');
    network.transmissions.take(frame.downlinkID);
    network.dutyCycle.settle(frame, undefined);
    tryAgain?.();
  };
  if (network.gateways.send(frame.gatewayID.toHex(), frame, unsent)) return;
  network.count('downlinks_without_gateway');
  network.dutyCycle.settle(frame, undefined);
}
