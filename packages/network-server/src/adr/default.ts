import { highestADRDataRate } from '@hilltop/lorawan';
import { type ADRAlgorithm, type ADRRequest, type ADRResponse, hasFullHistory } from './algorithm.ts';

const stepDB = 3;

/** New nbTrans by packet loss (below this fraction) and current nbTrans 1, 2, 3. */
const nbTransByLoss = [
  { below: 0.05, nbTrans: [1, 1, 2] },
  { below: 0.1, nbTrans: [1, 2, 3] },
  { below: 0.3, nbTrans: [2, 3, 3] },
  { below: Number.POSITIVE_INFINITY, nbTrans: [3, 3, 3] },
] as const;

/**
 * Applies the limits of network and profile at once. Everything else needs a full history, which restarts with each
 * change that the device accepts. Each decision changes one thing: more SNR than needed raises the data-rate, then lowers
 * the power; less raises the power, then, when uplinks are lost too, lowers the data-rate.
 */
export const defaultADR: ADRAlgorithm = {
  id: 'default',
  name: 'Default ADR algorithm (LoRa only)',
  adapt(request) {
    const { dr, txPowerIndex, nbTrans } = request;
    const present = { dr, txPowerIndex, nbTrans };
    if (!request.adr) return present;
    const limits = limitsOf(request);
    const limited = {
      dr: within(dr, limits.minDR, limits.maxDR),
      txPowerIndex: within(txPowerIndex, limits.minTxPowerIndex, limits.maxTxPowerIndex),
      nbTrans,
    };
    if (limited.dr !== dr || limited.txPowerIndex !== txPowerIndex) return limited;
    if (!hasFullHistory(request)) return present;
    return decide(request, limits);
  },
};

type Limits = Pick<ADRRequest, 'minDR' | 'maxDR' | 'minTxPowerIndex' | 'maxTxPowerIndex'>;

/** When limits contradict each other, the power that the device supports and the highest data-rate take precedence. */
function limitsOf({ region, channels, dr, ...request }: ADRRequest): Limits {
  const { minTxPowerIndex } = request;
  const maxDR = Math.min(request.maxDR, highestADRDataRate(region, channels) ?? dr);
  return {
    maxDR,
    minDR: Math.min(request.minDR, maxDR),
    minTxPowerIndex,
    maxTxPowerIndex: Math.max(request.maxTxPowerIndex, minTxPowerIndex),
  };
}

function decide(request: ADRRequest, limits: Limits): ADRResponse {
  const { dr, txPowerIndex, nbTrans, history } = request;
  const steps = stepsOf(request);
  const loss = lossOf(history);
  const present = { dr, txPowerIndex, nbTrans };
  if (steps > 0 && dr < limits.maxDR) return { ...present, dr: Math.min(dr + steps, limits.maxDR) };
  if (steps < 0 && txPowerIndex > limits.minTxPowerIndex)
    return { ...present, txPowerIndex: Math.max(txPowerIndex + steps, limits.minTxPowerIndex) };
  if (steps < 0 && loss > 0 && dr > limits.minDR) return { ...present, dr: Math.max(dr + steps, limits.minDR) };
  const repetitions = repetitionsAt(loss, nbTrans);
  // A link below its margin keeps the repetitions that reduced its loss.
  if (repetitions !== nbTrans && (repetitions > nbTrans || steps >= 0)) return { ...present, nbTrans: repetitions };
  if (steps > 0) return { ...present, txPowerIndex: Math.min(txPowerIndex + steps, limits.maxTxPowerIndex) };
  return present;
}

/** Steps of 3 dB above the required SNR. The median counts: the best of many uplinks does not predict the next one. */
function stepsOf({ history, requiredSNR, installationMargin }: ADRRequest): number {
  const sorted = history.map(({ maxSNR }) => maxSNR).sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? requiredSNR + installationMargin;
  return Math.trunc((median - requiredSNR - installationMargin) / stepDB);
}

function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

function repetitionsAt(loss: number, nbTrans: number): number {
  const rule = nbTransByLoss.find(({ below }) => loss < below);
  const current = within(nbTrans, 1, 3);
  return rule?.nbTrans[current - 1] ?? current;
}

/** The fraction of the frames of a full history that were lost. */
function lossOf(history: ADRRequest['history']): number {
  let lost = 0;
  for (const [position, { fCnt }] of history.entries()) {
    const previous = history[position - 1];
    if (previous) lost += fCnt - previous.fCnt - 1;
  }
  return lost / history.length;
}
