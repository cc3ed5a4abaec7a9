import { macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';

/** LoRaWAN 1.0.4 §14.4: where a class B device looks for beacons; frequency 0 is the rule of the region. */
export function beaconFreqReqs({ network, session, deviceProfile }: DeviceContext) {
  const frequency = network.settings.classBBeaconFrequency;
  if (!deviceProfile.supportsClassB || session.beaconFrequency === frequency) return [];
  return [macCommand('BeaconFreqReq', { frequency })];
}
