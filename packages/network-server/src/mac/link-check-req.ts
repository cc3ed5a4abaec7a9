import { macCommand, requiredSNR } from '@hilltop/lorawan';
import { modulationOfUplink } from '../radio/modulation.ts';
import { macRule } from './rule.ts';

/**
 * LoRaWAN 1.0.4 §5.2: how far above the demodulation floor the best gateway received the device, and how many gateways
 * received it.
 */
export const linkCheckReq = macRule({
  receives: 'LinkCheckReq',
  handle(_block, { uplink }) {
    const modulation = modulationOfUplink(uplink.txInfo);
    const required = modulation && requiredSNR(modulation);
    const best = uplink.receptions[0]?.rxInfo.loRaSNR ?? 0;
    const margin = required === null ? 0 : Math.min(Math.max(Math.trunc(best - required), 0), 254);
    const gwCnt = Math.min(new Set(uplink.receptions.map(({ gatewayID }) => gatewayID)).size, 255);
    return { answers: [macCommand('LinkCheckAns', { margin, gwCnt })] };
  },
});
