import { modulationOf, requiredSNR } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { Receiver } from '../state/session.ts';
import type { MulticastMember } from '../state/state.ts';
import { smallestSet } from './smallest-set.ts';

/** A gateway that sends to a group, with the antenna that receives its devices. */
export type GatewaySender = Pick<Receiver, 'gatewayID' | 'board' | 'antenna'>;

/**
 * The fewest gateways that reach all devices of a group that any gateway has received: each device by one that receives
 * it well, or else by the one that receives it best.
 */
export function gatewaysFor(network: Network, members: readonly MulticastMember[]): GatewaySender[] {
  const choices = members.map((member) => goodReceivers(network, member));
  const known = new Map(choices.flat().map((receiver) => [receiver.gatewayID, receiver]));
  return smallestSet(choices.map((choice) => choice.map(({ gatewayID }) => gatewayID))).flatMap((gatewayID) => {
    const receiver = known.get(gatewayID);
    return receiver ? [{ gatewayID, board: receiver.board, antenna: receiver.antenna }] : [];
  });
}

/** Disconnected gateways count only for a device that no other one receives: they may be connected in time. */
function goodReceivers({ region, settings, gateways }: Network, { dr, receivers }: MulticastMember): Receiver[] {
  const reachable = receivers.filter(({ gatewayID }) => gateways.has(gatewayID));
  const usable = reachable.length > 0 ? reachable : receivers;
  const required = (requiredSNR(modulationOf(region, dr)) ?? 0) + settings.installationMargin;
  const good = usable.filter(({ snr }) => snr >= required);
  return good.length > 0 ? good : usable.slice(0, 1);
}
