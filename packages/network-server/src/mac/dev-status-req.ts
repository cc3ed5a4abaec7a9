import { macCommand } from '@hilltop/lorawan';
import type { MacContext } from './rule.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** LoRaWAN 1.0.4 §5.5: asked as often a day as the service-profile says. */
export function devStatusReqs(context: MacContext) {
  return isDevStatusDue(context) ? [macCommand('DevStatusReq')] : [];
}

export function isDevStatusDue({ network, session, serviceProfile: { devStatusReqFreq } }: MacContext): boolean {
  if (devStatusReqFreq <= 0) return false;
  const last = session.lastDevStatusRequestedAt;
  return last === null || network.clock.now().getTime() - last >= dayMs / devStatusReqFreq;
}
