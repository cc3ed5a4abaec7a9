import { requiredSNR } from '@hilltop/lorawan';
import type { Network } from '../network.ts';
import type { Receiver } from '../state/session.ts';
import { modulationOfUplink } from '../uplink/modulation.ts';
import type { Uplink } from '../uplink/uplink.ts';

/**
 * The gateway a response leaves from: one at random among those that heard the device well above its need, which spreads
 * the load, else the one that heard it best. `receivers` come best first; one without context cannot time an answer.
 */
export function chooseGateway(network: Network, receivers: readonly Receiver[], { txInfo }: Uplink): Receiver | null {
  const reachable = receivers.filter(({ gatewayID, context }) => context !== '' && network.gateways.has(gatewayID));
  const modulation = modulationOfUplink(txInfo);
  const required = (modulation && requiredSNR(modulation)) ?? 0;
  const good = reachable.filter(({ snr }) => snr - required >= network.settings.gatewayPreferMinMargin);
  const chosen = Math.floor(((network.random(1)[0] ?? 0) / 256) * good.length);
  return good[chosen] ?? reachable[0] ?? null;
}
