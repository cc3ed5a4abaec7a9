import type { ADRAlgorithm } from './algorithm.ts';
import { defaultADR } from './default.ts';
import { lrFHSSADR } from './lr-fhss.ts';

const slowestGoodSpreadingFactor = 10;

/** LoRa where it is fast enough (below SF10), LR-FHSS otherwise. */
export const loRaLRFHSSADR: ADRAlgorithm = {
  id: 'lora_lr_fhss',
  name: 'LoRa & LR-FHSS ADR algorithm',
  adapt(request) {
    const { region, dr, maxDR } = request;
    // The SNR of LR-FHSS does not apply to LoRa.
    if (region.dataRates[dr]?.modulation === 'LR_FHSS' && dr <= maxDR) return lrFHSSADR.adapt(request);
    const loRa = defaultADR.adapt(request);
    const dataRate = region.dataRates[loRa.dr];
    const isFast = dataRate?.modulation === 'LORA' && dataRate.spreadingFactor < slowestGoodSpreadingFactor;
    return isFast ? loRa : lrFHSSADR.adapt(request);
  },
};
