import { macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';

/** LoRaWAN 1.0.4 §14.3: data-rate and frequency of the ping slots; frequency 0 is the hopping rule of the region. */
export function pingSlotChannelReqs({ network, session, deviceProfile }: DeviceContext) {
  if (!deviceProfile.supportsClassB) return [];
  const { classBPingSlotDR, classBPingSlotFrequency: frequency } = network.settings;
  const dr = classBPingSlotDR ?? network.region.pingSlot.dataRate;
  const isSet = session.pingSlotDR === dr && session.pingSlotFrequency === frequency;
  return isSet ? [] : [macCommand('PingSlotChannelReq', { frequency, dr })];
}
