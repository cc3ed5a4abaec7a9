import { requiredSNR } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import { modulationOfUplink } from '../radio/modulation.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { Receiver } from '../state/session.ts';
import { mostGateways } from './send.ts';

/**
 * The gateways that may send a response, in the order to try them: first a random one among those that received the
 * device well above the required SNR, which spreads the load, else the one that received it best. `receivers` are
 * sorted, best first; one without context cannot time a response.
 */
export function answeringGateways(network: Network, receivers: readonly Receiver[], { txInfo }: Uplink): Receiver[] {
  const modulation = modulationOfUplink(txInfo);
  const required = (modulation && requiredSNR(modulation)) ?? 0;
  const able = receivers.filter(({ context }) => context !== '');
  const inOrder = gatewaysInOrder(network, able, required);
  const isFirst = ({ gatewayID }: Receiver, position: number) =>
    inOrder.findIndex((other) => other.gatewayID === gatewayID) === position;
  return inOrder.filter(isFirst).slice(0, mostGateways);
}

/** The connected gateways: those well above the required SNR, beginning with a random one, then the others. */
export function gatewaysInOrder(network: Network, receivers: readonly Receiver[], required: number): Receiver[] {
  const reachable = receivers.filter(({ gatewayID }) => network.gateways.has(gatewayID));
  const isGood = ({ snr }: Receiver) => snr - required >= network.settings.gatewayPreferMinMargin;
  const good = reachable.filter(isGood);
  const first = Math.floor(((network.random(1)[0] ?? 0) / 256) * good.length);
  return [...good.slice(first), ...good.slice(0, first), ...reachable.filter((one) => !isGood(one))];
}
