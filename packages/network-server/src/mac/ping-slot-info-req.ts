import { macCommand } from '@hilltop/lorawan';
import { macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §14.2: periodicity 0 (every second) to 7 (every 128 s). */
export const pingSlotInfoReq = macRule({
  receives: 'PingSlotInfoReq',
  handle([first], { session }) {
    if (!first) return {};
    session.pingSlotNb = 2 ** (7 - first.payload.periodicity);
    return { answers: [macCommand('PingSlotInfoAns')] };
  },
});
