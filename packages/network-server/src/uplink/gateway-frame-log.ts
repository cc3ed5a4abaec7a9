import { mTypes } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { receptionOf } from './reception.ts';

const none = new Uint8Array();

/** Shows one copy in the frame log of its gateway, as received. */
export function showGatewayFrame(
  network: Network,
  { phyPayload, txInfo }: Pick<gw.UplinkFrame, 'phyPayload' | 'txInfo'>,
  rxInfo: gw.UplinkRXInfo,
): void {
  const publishedAt = network.clock.now();
  const mType = mTypes[(phyPayload[0] ?? 0) >>> 5] ?? 'Proprietary';
  const entry = { phyPayload, txInfo, rxInfo: [rxInfo], mType, devAddr: none, devEui: none, publishedAt };
  network.gatewayFrames.add(rxInfo.gatewayID.toHex(), { uplinkFrameSet: entry });
}

/** The same for a copy that arrived too late to be collected with the others. */
export async function logGatewayFrame(network: Network, frame: gw.UplinkFrame): Promise<void> {
  const { rxInfo } = frame;
  if (!rxInfo) return;
  const reception = await receptionOf(network, rxInfo);
  if (reception) showGatewayFrame(network, frame, reception.rxInfo);
}
