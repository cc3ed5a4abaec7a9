import { macCommand } from '@hilltop/lorawan';
import type { MacContext } from './rule.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** LoRaWAN 1.0.4 §5.5: asked as often a day as the service-profile says. */
export function devStatusReqs({ network, session, serviceProfile }: MacContext) {
  const { devStatusReqFreq, reportDevStatusBattery, reportDevStatusMargin } = serviceProfile;
  if (devStatusReqFreq <= 0 || !(reportDevStatusBattery || reportDevStatusMargin)) return [];
  const last = session.lastDevStatusRequestedAt;
  const isDue = last === null || network.clock.now().getTime() - last >= dayMs / devStatusReqFreq;
  return isDue ? [macCommand('DevStatusReq')] : [];
}
