import type { ADRAlgorithm } from './algorithm.ts';
import { defaultADR } from './default.ts';
import { loRaLRFHSSADR } from './lora-lr-fhss.ts';
import { lrFHSSADR } from './lr-fhss.ts';

/** The ADR algorithms that a device profile can choose. */
export const adrAlgorithms: readonly ADRAlgorithm[] = [defaultADR, lrFHSSADR, loRaLRFHSSADR];

/** The algorithm of a device-profile; an unknown or empty id is the default one. */
export function adrAlgorithm(id: string): ADRAlgorithm {
  return adrAlgorithms.find((algorithm) => algorithm.id === id) ?? defaultADR;
}
