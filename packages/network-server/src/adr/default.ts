import { highestADRDataRate } from '@hilltop/lorawan';
import { type ADRAlgorithm, type ADRRequest, type ADRResponse, fullHistory } from './algorithm.ts';

const stepDB = 3;

/** New nbTrans by packet loss (below this fraction) and current nbTrans 1, 2, 3. */
const nbTransByLoss = [
  { below: 0.05, nbTrans: [1, 1, 2] },
  { below: 0.1, nbTrans: [1, 2, 3] },
  { below: 0.3, nbTrans: [2, 3, 3] },
  { below: Number.POSITIVE_INFINITY, nbTrans: [3, 3, 3] },
] as const;

/**
 * Spends what the link has beyond its need: first on the data-rate, then on less power. A weak link gets its power back,
 * but only by a full history at the present power; the data-rate is never lowered by the network.
 */
export const defaultADR: ADRAlgorithm = {
  id: 'default',
  name: 'Default ADR algorithm (LoRa only)',
  adapt(request) {
    if (!request.adr) return { dr: request.dr, txPowerIndex: request.txPowerIndex, nbTrans: request.nbTrans };
    const maxDR = Math.min(request.maxDR, highestADRDataRate(request.region, request.channels) ?? request.dr);
    const dr = Math.min(request.dr, maxDR);
    const nbTrans = repetitions(request);
    const steps = stepsOf(request);
    const atThisPower = request.history.filter(({ txPowerIndex }) => txPowerIndex === request.txPowerIndex).length;
    if (steps < 0 && atThisPower !== fullHistory) return { dr, txPowerIndex: request.txPowerIndex, nbTrans };
    return { ...spend({ ...request, dr, maxDR }, steps), nbTrans };
  },
};

function stepsOf({ history, requiredSNR, installationMargin }: ADRRequest): number {
  if (history.length === 0) return 0;
  const best = Math.max(...history.map(({ maxSNR }) => maxSNR));
  return Math.trunc((best - requiredSNR - installationMargin) / stepDB);
}

function spend(request: ADRRequest, steps: number): Pick<ADRResponse, 'dr' | 'txPowerIndex'> {
  const { dr, maxDR, txPowerIndex, minTxPowerIndex, maxTxPowerIndex } = request;
  const faster = within(steps, 0, maxDR - dr);
  const weaker = within(steps - faster, 0, maxTxPowerIndex - txPowerIndex);
  const stronger = within(-steps, 0, txPowerIndex - minTxPowerIndex);
  return { dr: dr + faster, txPowerIndex: txPowerIndex + weaker - stronger };
}

function within(steps: number, least: number, most: number): number {
  return Math.max(least, Math.min(steps, most));
}

function repetitions({ history, nbTrans }: ADRRequest): number {
  const rule = nbTransByLoss.find(({ below }) => lossOf(history) < below);
  const current = Math.min(Math.max(nbTrans, 1), 3);
  return rule?.nbTrans[current - 1] ?? current;
}

/** Fraction of the frames that never arrived; less than a full history tells nothing. */
function lossOf(history: ADRRequest['history']): number {
  if (history.length < fullHistory) return 0;
  let lost = 0;
  for (const [place, { fCnt }] of history.entries()) {
    const previous = history[place - 1];
    if (previous) lost += fCnt - previous.fCnt - 1;
  }
  return lost / fullHistory;
}
