import { macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';

/** LoRaWAN 1.0.4 §5.7: delay of the first window in seconds, where 0 and 1 are the same. */
export function rxTimingSetupReqs({ network, session }: DeviceContext) {
  const delay = network.wanted.rxDelay;
  const isSet = Math.max(session.rxDelay, 1) === Math.max(delay, 1);
  return isSet ? [] : [macCommand('RXTimingSetupReq', { delay })];
}
