import { macCommand } from '@hilltop/lorawan';
import { bootRadio } from '../session/boot-radio.ts';
import { macRule } from './rule.ts';

/** LoRaWAN 1.1 §5.1: an ABP device that restarted has its boot parameters; the counters continue. */
export const resetInd = macRule({
  receives: 'ResetInd',
  handle([first], { network, session, deviceProfile }) {
    if (!first) return {};
    if (session.origin === 'ABP') Object.assign(session, bootRadio(network, deviceProfile));
    const minor = Math.min(1, first.payload.devLoRaWANVersion.minor);
    return { answers: [macCommand('ResetConf', { servLoRaWANVersion: { minor } })] };
  },
});
