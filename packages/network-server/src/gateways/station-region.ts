import type { StationRate, StationRegion } from '@hilltop/gateway-protocols';
import type { DataRate } from '@hilltop/lorawan';
import type { GatewayNetwork } from './link.ts';

/** Regions whose limits stations know themselves, by the name that stations use. */
const known: Readonly<Record<string, string>> = {
  EU868: 'EU863',
  US915: 'US902',
  AU915: 'AU915',
  AS923: 'AS923-1',
  KR920: 'KR920',
};

/** The region of a network in the form of the station configuration. */
export function stationRegion({ region, beaconFrequency }: Pick<GatewayNetwork, 'region' | 'beaconFrequency'>) {
  const { frequencyRange, dataRates, downlinkTxPower, beacon } = region;
  const frequency = beaconFrequency();
  return {
    name: known[region.name] ?? region.name,
    frequencyRange,
    rates: Array.from({ length: 16 }, (_, dr) => rateOf(dataRates[dr])),
    maxEIRP: region.name in known ? undefined : Math.max(...downlinkTxPower.map(({ power }) => power)),
    beacon: frequency === 0 ? beacon : { ...beacon, frequencies: [frequency] },
  } satisfies StationRegion;
}

/** Stations do not support LR-FHSS. */
function rateOf(rate: DataRate | undefined): StationRate {
  if (!rate || rate.modulation === 'LR_FHSS') return null;
  const { uplink, downlink } = rate;
  if (rate.modulation === 'FSK') return { modulation: 'FSK', datarate: rate.datarate, uplink, downlink };
  const { spreadingFactor, bandwidth } = rate;
  return { modulation: 'LORA', spreadingFactor, bandwidth, uplink, downlink };
}
