/** Modulations in version 4: bandwidths in Hz, code rates as an enum, one message for uplinks and downlinks. */
import type { common, gw } from '@hilltop/protobuf';
import { create } from '@hilltop/protobuf';
import * as v4 from './v4-messages.ts';

interface Modulated {
  modulation: common.Modulation;
  loRaModulationInfo?: gw.LoRaModulationInfo | undefined;
  fskModulationInfo?: gw.FSKModulationInfo | undefined;
  lrFHSSModulationInfo?: gw.LRFHSSModulationInfo | undefined;
}

type CodeRate = keyof typeof v4.CodeRate.numbers;

const loRaCodeRates: Readonly<Partial<Record<CodeRate, string>>> = {
  CR_UNDEFINED: 'OFF',
  CR_4_5: '4/5',
  CR_4_6: '4/6',
  CR_4_7: '4/7',
  CR_4_8: '4/8',
  CR_LI_4_5: '4/5LI',
  CR_LI_4_6: '4/6LI',
  CR_LI_4_8: '4/8LI',
};
const lrFHSSCodeRates: Readonly<Partial<Record<CodeRate, string>>> = { CR_2_6: '1/3', CR_4_6: '2/3' };

/** LORA without any parameters when the message has no known modulation. */
export function fromModulation(modulation: v4.Modulation | null): Modulated {
  const { lora, fsk, lrFhss } = modulation ?? {};
  if (fsk) return { modulation: 'FSK', fskModulationInfo: fsk };
  if (lrFhss) {
    const { operatingChannelWidth, codeRate, gridSteps } = lrFhss;
    const lrFHSSModulationInfo = { operatingChannelWidth, codeRate: lrFHSSCodeRates[codeRate] ?? '', gridSteps };
    return { modulation: 'LR_FHSS', lrFHSSModulationInfo };
  }
  if (!lora) return { modulation: 'LORA' };
  const { bandwidth, spreadingFactor, codeRate, polarizationInversion } = lora;
  return {
    modulation: 'LORA',
    loRaModulationInfo: {
      bandwidth: Math.round(bandwidth / 1000),
      spreadingFactor,
      codeRate: loRaCodeRates[codeRate] ?? '',
      polarizationInversion,
    },
  };
}

export function toModulation(from: Modulated): v4.Modulation {
  const { loRaModulationInfo: loRa, fskModulationInfo: fsk, lrFHSSModulationInfo: lrFHSS } = from;
  if (loRa) {
    const { bandwidth, spreadingFactor, polarizationInversion } = loRa;
    const codeRate = nameOf(loRaCodeRates, loRa.codeRate);
    const lora = { bandwidth: bandwidth * 1000, spreadingFactor, codeRate, polarizationInversion };
    return create(v4.Modulation, { lora });
  }
  if (fsk) return create(v4.Modulation, { fsk });
  if (!lrFHSS) return create(v4.Modulation);
  return create(v4.Modulation, { lrFhss: { ...lrFHSS, codeRate: nameOf(lrFHSSCodeRates, lrFHSS.codeRate) } });
}

function nameOf(names: Readonly<Partial<Record<CodeRate, string>>>, text: string): CodeRate {
  return (Object.keys(names) as CodeRate[]).find((name) => names[name] === text) ?? 'CR_UNDEFINED';
}
