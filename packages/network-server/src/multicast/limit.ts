import { maxPayloadSize } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { MulticastGroupRecord } from '../state/records.ts';

/** Bytes that a downlink to a group may have; 0 when its data-rate must not be used. The devices may be of any version. */
export function limitOf({ region, settings }: Network, { dr }: MulticastGroupRecord): number {
  const options = { repeater: settings.repeaterCompatible, dwell: settings.downlinkDwellTime400ms };
  return maxPayloadSize(region, '1.0.4', 'RP002-1.0.3', dr, options)?.n ?? 0;
}
