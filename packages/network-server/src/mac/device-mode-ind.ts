import { macCommand } from '@hilltop/lorawan';
import { macRule } from './rule.ts';

const classC = 2;

/** LoRaWAN 1.1 §18.1: the device switches between class A (0) and class C (2). */
export const deviceModeInd = macRule({
  receives: 'DeviceModeInd',
  handle([first], { session }) {
    if (!first) return {};
    session.mode = first.payload.Class === classC ? 'C' : 'A';
    return { answers: [macCommand('DeviceModeConf', { Class: first.payload.Class })] };
  },
});
