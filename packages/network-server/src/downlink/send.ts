import type { Network } from '../network.ts';
import type { Transmission } from './transmissions.ts';

/** Lets a downlink leave whose counters or session are on disk, and remembers it until its gateway reports. */
export function send(network: Network, transmission: Transmission): void {
  const { frame } = transmission;
  network.transmissions.add(transmission);
  network.count('downlinks');
  if (!network.gateways.send(frame.gatewayID.toHex(), frame)) network.count('downlinks_without_gateway');
}
