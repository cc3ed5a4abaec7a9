import type { gw } from '@hilltop/protobuf';
import { framesOf } from '../network/duty-cycle.ts';
import type { Network } from '../network/network.ts';
import type { DeviceTransmission } from '../network/transmissions.ts';
import type { Receiver } from '../state/session.ts';

/** A gateway must have a frame at least this long before its window. */
const leastHandOverMs = 150;

/**
 * The same frames for the next connected gateway, in the windows that are still in the future; null when there is none.
 * The first gateway refused them, so no device has received them, and they use the same counters.
 */
export function atNextGateway(network: Network, transmission: DeviceTransmission): DeviceTransmission | null {
  const { others, frame, clear, data } = transmission;
  if (!others) return null;
  const elapsedMs = network.clock.now().getTime() - others.receivedAt;
  const inTime = frame.items.filter(({ txInfo }) => {
    return elapsedMs >= 0 && (txInfo?.delayTimingInfo?.delay ?? 0) - leastHandOverMs > elapsedMs;
  });
  const connected = others.receivers.filter(({ gatewayID }) => network.gateways.has(gatewayID));
  const choice = inTime.length > 0 ? chooseReceiver(network, connected, inTime) : null;
  if (!choice) return null;
  const { receiver, items } = choice;
  const chosen = <One>(of: readonly One[]) => of.filter((_, index) => items.includes(frame.items[index]!));
  return {
    ...transmission,
    frame: { ...frame, ...addressTo(network, receiver, items) },
    clear: chosen(clear),
    data: chosen(data),
    others: { ...others, receivers: connected.filter((other) => other !== receiver) },
  };
}

/** The first gateway within its duty cycle, and the items that it may send; without any, as the settings say. */
function chooseReceiver(
  { dutyCycle }: Network,
  receivers: readonly Receiver[],
  items: readonly gw.DownlinkFrameItem[],
): { receiver: Receiver; items: readonly gw.DownlinkFrameItem[] } | null {
  const [first] = receivers;
  if (!first) return null;
  if (dutyCycle.mode === 'OFF') return { receiver: first, items };
  for (const receiver of receivers) {
    const within = items.filter((item) => dutyCycle.fits(receiver.gatewayID, framesOf([item])));
    if (within.length > 0) return { receiver, items: within };
  }
  return dutyCycle.mode === 'KEEP' ? null : { receiver: first, items };
}

function addressTo(network: Network, receiver: Receiver, items: readonly gw.DownlinkFrameItem[]) {
  const gatewayID = Uint8Array.fromHex(receiver.gatewayID);
  const { board, antenna } = receiver;
  const context = Uint8Array.fromHex(receiver.context);
  const downlinkID = network.random(16);
  const [high = 0, low = 0] = downlinkID;
  return {
    downlinkID,
    token: high * 256 + low,
    gatewayID,
    items: items.map(({ phyPayload, txInfo }) => ({
      phyPayload,
      txInfo: txInfo && { ...txInfo, gatewayID, board, antenna, context },
    })),
  };
}
