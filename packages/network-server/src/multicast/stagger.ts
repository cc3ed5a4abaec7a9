import { airtime, modulationOf } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { MulticastGroupRecord } from '../state/records.ts';

/** MHDR, FHDR without FOpts, FPort and MIC. */
export const frameOverhead = 13;
/** Backhauls differ: two gateways that get a frame for the same time do not begin together. */
const backhaulMs = 250;

/**
 * How long after one gateway the next one sends the same downlink. A device in reach of both receives neither when they
 * overlap, so the frame of one ends before the other begins. Never longer than the pause of one gateway.
 */
export function staggerMs(
  { region, settings }: Network,
  { dr }: MulticastGroupRecord,
  { frmPayload }: { frmPayload: Uint8Array },
): number {
  const onAirMs = airtime(frameOverhead + frmPayload.length, modulationOf(region, dr), 'down');
  return Math.min(settings.multicastGatewayDelayMs, Math.ceil(onAirMs) + backhaulMs);
}
