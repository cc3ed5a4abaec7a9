import { macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';
import { versionOf } from '../session/session-version.ts';

/** LoRaWAN 1.1 §5.13: how often a 1.1 device sends a rejoin-request by itself. */
export function rejoinParamSetupReqs({ network, session }: DeviceContext) {
  const wanted = network.settings.rejoinRequest;
  if (!wanted || versionOf(session) !== '1.1') return [];
  const has = session.rejoinParams;
  const isSet = has?.maxTimeN === wanted.maxTimeN && has.maxCountN === wanted.maxCountN;
  return isSet ? [] : [macCommand('RejoinParamSetupReq', wanted)];
}
