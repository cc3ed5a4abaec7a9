import { create, gw } from '@hilltop/protobuf';

/**
 * One data-rate of a region as stations know it; null when the region does not define the number, or stations do not
 * support it.
 */
export type StationRate =
  | {
      readonly modulation: 'LORA';
      readonly spreadingFactor: number;
      readonly bandwidth: number;
      readonly uplink: boolean;
      readonly downlink: boolean;
    }
  | { readonly modulation: 'FSK'; readonly datarate: number; readonly uplink: boolean; readonly downlink: boolean }
  | null;

/** By data-rate number. */
export type StationRates = readonly StationRate[];

type UplinkModulation = Pick<gw.UplinkTXInfo, 'modulation' | 'loRaModulationInfo' | 'fskModulationInfo'>;

/** The modulation of an uplink; null when the region has no such data-rate. */
export function modulationOfRate(rate: StationRate): UplinkModulation | null {
  if (rate === null) return null;
  if (rate.modulation === 'FSK') {
    const fskModulationInfo = create(gw.FSKModulationInfo, { datarate: rate.datarate });
    return { modulation: 'FSK', fskModulationInfo };
  }
  const { bandwidth, spreadingFactor } = rate;
  const loRaModulationInfo = create(gw.LoRaModulationInfo, { bandwidth, spreadingFactor, codeRate: '4/5' });
  return { modulation: 'LORA', loRaModulationInfo };
}

type Modulated = Pick<gw.DownlinkTXInfo, 'loRaModulationInfo' | 'fskModulationInfo'>;

/** The data-rate number of a downlink; null when stations of the region do not have it. */
export function rateOfModulation(rates: StationRates, { loRaModulationInfo, fskModulationInfo }: Modulated) {
  const position = rates.findIndex((rate) => {
    if (!rate?.downlink) return false;
    if (rate.modulation === 'FSK') return fskModulationInfo?.datarate === rate.datarate;
    const { bandwidth, spreadingFactor } = loRaModulationInfo ?? {};
    return rate.spreadingFactor === spreadingFactor && rate.bandwidth === bandwidth;
  });
  return position === -1 ? null : position;
}
