import type { Modulation } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';

type ModulationInfo = Pick<gw.UplinkTXInfo, 'loRaModulationInfo' | 'fskModulationInfo' | 'lrFHSSModulationInfo'>;

/** The modulation in the terms of the regional tables; null when the gateway reported none. */
export function modulationOfUplink(txInfo: ModulationInfo): Modulation | null {
  const { loRaModulationInfo: loRa, fskModulationInfo: fsk, lrFHSSModulationInfo: lrFHSS } = txInfo;
  if (loRa) return { modulation: 'LORA', bandwidth: loRa.bandwidth, spreadingFactor: loRa.spreadingFactor };
  if (fsk) return { modulation: 'FSK', datarate: fsk.datarate };
  if (!lrFHSS) return null;
  const { operatingChannelWidth, codeRate } = lrFHSS;
  return { modulation: 'LR_FHSS', operatingChannelWidth, codeRate };
}
