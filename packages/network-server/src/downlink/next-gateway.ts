import type { gw } from '@hilltop/protobuf';
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
  const open = frame.items.map(({ txInfo }) => {
    return elapsedMs >= 0 && (txInfo?.delayTimingInfo?.delay ?? 0) - leastHandOverMs > elapsedMs;
  });
  const inTime = <One>(of: readonly One[]) => of.filter((_, index) => open[index]);
  const position = others.receivers.findIndex(({ gatewayID }) => network.gateways.has(gatewayID));
  const receiver = others.receivers[position];
  if (!receiver || !open.includes(true)) return null;
  return {
    ...transmission,
    frame: { ...frame, ...addressTo(network, receiver, inTime(frame.items)) },
    clear: inTime(clear),
    data: inTime(data),
    others: { ...others, receivers: others.receivers.slice(position + 1) },
  };
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
