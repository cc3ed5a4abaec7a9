import { macCommand } from '@hilltop/lorawan';
import { versionOf } from '../session-version.ts';
import type { MacContext } from './rule.ts';

/** LoRaWAN 1.1 §5.13: how often a 1.1 device shall send a rejoin-request by itself. */
export function rejoinParamSetupReqs({ network, session }: MacContext) {
  const wanted = network.settings.rejoinRequest;
  if (!wanted || versionOf(session) !== '1.1') return [];
  const has = session.rejoinParams;
  const isSet = has?.maxTimeN === wanted.maxTimeN && has.maxCountN === wanted.maxCountN;
  return isSet ? [] : [macCommand('RejoinParamSetupReq', wanted)];
}
