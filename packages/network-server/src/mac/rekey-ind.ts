import { macCommand } from '@hilltop/lorawan';
import { macRule } from './rule.ts';

/** LoRaWAN 1.1 §5.11: the device repeats this after a join until it is confirmed; its new keys are proven by now. */
export const rekeyInd = macRule({
  receives: 'RekeyInd',
  handle([first]) {
    if (!first) return {};
    const minor = Math.min(1, first.payload.devLoRaWANVersion.minor);
    return { answers: [macCommand('RekeyConf', { servLoRaWANVersion: { minor } })] };
  },
});
