import { macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** LoRaWAN 1.0.4 §5.5: requested as often a day as the service profile says. */
export function devStatusReqs(context: DeviceContext) {
  return isDevStatusDue(context) ? [macCommand('DevStatusReq')] : [];
}

export function isDevStatusDue({ network, session, serviceProfile: { devStatusReqFreq } }: DeviceContext): boolean {
  if (devStatusReqFreq <= 0) return false;
  const last = session.lastDevStatusRequestedAt;
  return last === null || network.clock.now().getTime() - last >= dayMs / devStatusReqFreq;
}
