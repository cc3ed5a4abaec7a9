import type { DataRate } from '@hilltop/lorawan';
import { type ADRAlgorithm, type ADRRequest, hasFullHistory } from './algorithm.ts';

const robustRate = '1/3';
const fastRate = '2/3';
const strongRSSI = -130;

/** Moves a device to LR-FHSS once its history is full, at the faster code rate when the signal is strong enough. */
export const lrFHSSADR: ADRAlgorithm = {
  id: 'lr_fhss',
  name: 'LR-FHSS only ADR algorithm',
  adapt(request) {
    const same = { dr: request.dr, txPowerIndex: request.txPowerIndex, nbTrans: request.nbTrans };
    if (!request.adr || !hasFullHistory(request)) return same;
    const current = codeRateOf(request.region.dataRates[request.dr]);
    const isStrong = medianRSSI(request) >= strongRSSI;
    if (current === fastRate || (current === robustRate && !isStrong)) return same;

    const candidates = candidatesOf(request);
    const preferred = isStrong ? fastRate : robustRate;
    const matching = candidates.filter((dr) => codeRateOf(request.region.dataRates[dr]) === preferred);
    const dr = matching[Math.floor(request.random() * matching.length)];
    return dr === undefined ? same : { dr, txPowerIndex: 0, nbTrans: 1 };
  },
};

/** LR-FHSS data-rates that an enabled channel allows. */
function candidatesOf({ region, minDR, maxDR, channels }: ADRRequest): number[] {
  return Object.entries(region.dataRates)
    .filter(([, dataRate]) => dataRate.modulation === 'LR_FHSS' && dataRate.uplink)
    .map(([index]) => Number(index))
    .filter((index) => minDR <= index && index <= maxDR)
    .filter((index) => channels.some((channel) => channel.minDR <= index && index <= channel.maxDR));
}

function codeRateOf(dataRate: DataRate | undefined): string | null {
  return dataRate?.modulation === 'LR_FHSS' ? dataRate.codeRate : null;
}

function medianRSSI({ history }: ADRRequest): number {
  const sorted = history.map(({ maxRSSI }) => maxRSSI).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NEGATIVE_INFINITY;
}
