import { type as, bytesOf } from '@hilltop/protobuf';
import type { DeviceSession } from '../state/session.ts';

/** The activation that a session began with; null once the first uplink has reported it to the application. */
export function newActivationOf({ devAddr, keys }: DeviceSession): as.DeviceActivationContext | null {
  return keys.appSKey && { devAddr: bytesOf(devAddr), appSKey: keys.appSKey };
}
